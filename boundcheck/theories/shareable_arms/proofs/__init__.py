"""The proofs, step by step: only the ledger reads them."""
