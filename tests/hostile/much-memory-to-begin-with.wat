;; Declares more memory than describing itself may take.
(memory (export "memory") 65536)
