"""Lower bounds on the regret of consistent policies: 4.3, C.3 and the exact constant."""
