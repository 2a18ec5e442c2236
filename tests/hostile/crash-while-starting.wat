;; Crashes in its start function.
(start $start)
(func $start (unreachable))
