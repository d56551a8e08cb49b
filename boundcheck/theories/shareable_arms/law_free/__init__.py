"""The policy that knows no law: our bound on its regret, its proof, and what nobody can beat."""
