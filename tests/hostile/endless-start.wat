;; Never ends its start function.
(start $start)
(func $start (loop $on (br $on)))
