"""The proof ledger: proofs as steps that are checked by computation."""
