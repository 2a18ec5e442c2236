;; Says that it grades what is a path.
(data (i32.const 16) "../x")
