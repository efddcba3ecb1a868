; Twelve blocks at random.
; Fewest steps 22, fewest actions 22.

(define (problem blocks-3)
  (:domain blocks)
  (:objects
    A B C D E F G H I J K L - block)
  (:init
    (on-table H) (on B H) (clear B)
    (on-table A) (on G A) (on I G) (on F I) (on E F) (clear E)
    (on-table K) (on J K) (on D J) (on C D) (clear C)
    (on-table L) (clear L)
    (arm-empty))
  (:goal (and
    (on B E) (on F B) (on D F) (on G D) (on A J) (on H I) (on K L))))
