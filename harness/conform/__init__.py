"""Conforming: whether somebody's rewrite of a rule does what the rule does, and where it does not.

    kit        cases that cover every branch of a rule, with the answers and what lies between (`kit.jsonl.xz`)
    corpora    recorded samples, if some are named
    draws      inputs that are made up for as long as one likes: documents, edits, and what models make of them

Each input goes to the program (docs/protocol.md) and to the rule of that name here. The files that both leave must be
equal byte for byte, or both must refuse for the same reason. Differences are grouped by class, and of each class the
smallest input is shown, shrunk.

Every strategy's name can be conformed to, so that any agent can prove its rewrite of any rule.
"""
