"""The statements that follow from a card's kind, for cards without a module of their own."""
