"""Property-directed reachability: proofs about state spaces too large to list.

`relation` asks clingo about single steps, `frames` keeps what is known of the states from which a
goal may be near, and `engine` drives both. What they prove is an invariant, which `certificate`
checks anew.

Source: Suda, Property Directed Reachability for Automated Planning, JAIR 50 (2014); after Bradley,
SAT-Based Model Checking without Unrolling, VMCAI 2011.
"""
