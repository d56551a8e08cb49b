"""Proofs as steps that are checked: the ledger."""
