"""Conforming: the comparison of somebody's rewrite of a rule with the rule itself.

    kit        cases that cover every branch of a rule, with answers and intermediate steps (`kit.jsonl.xz`)
    corpora    recorded samples, if corpora are named
    draws      made-up inputs, for any length of time: documents, edits, and damaged edits as models write them

Each input goes to the program (docs/protocol.md) and to the rule of that name here. Both must leave the same files,
byte for byte, or refuse for the same reason. Differences are grouped by class, and the smallest input of each class
is shrunk and shown.

Every strategy's name can be conformed to: any agent can prove its rewrite of any rule.
"""
