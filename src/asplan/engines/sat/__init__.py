"""The ground program as clauses, and SAT solvers on them."""
