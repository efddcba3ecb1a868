; A robot pushes crates through a hall with pillars; it pushes one at a time and cannot pull.
;
; The cells of the hall are pairs of a row and a column.
;
; Tells  (robot-at R C)     the robot stands in row R, column C
;        (crate-at K R C)   crate K stands there
;        (blocked R C)      a pillar or a crate stands there
;        (beside A B)       lines A and B, two rows or two columns, are neighbours; both ways

(define (domain crates)
  (:requirements :typing :equality :negative-preconditions :existential-preconditions)
  (:types row column - line
          crate line)
  (:predicates (robot-at ?row - row ?column - column)
               (crate-at ?crate - crate ?row - row ?column - column)
               (blocked ?row - row ?column - column)
               (beside ?line ?other - line))

  (:action walk-in-row
    :parameters (?row - row ?from ?to - column)
    :precondition (and (robot-at ?row ?from) (beside ?from ?to) (not (blocked ?row ?to)))
    :effect (and (robot-at ?row ?to) (not (robot-at ?row ?from))))

  (:action walk-in-column
    :parameters (?from ?to - row ?column - column)
    :precondition (and (robot-at ?from ?column) (beside ?from ?to) (not (blocked ?to ?column)))
    :effect (and (robot-at ?to ?column) (not (robot-at ?from ?column))))

  ; The robot steps into the crate's cell, the crate goes on to the next one in the same direction.
  (:action push-in-row
    :parameters (?crate - crate ?row - row ?from ?to ?next - column)
    :precondition (and (robot-at ?row ?from) (crate-at ?crate ?row ?to)
                       (beside ?from ?to) (beside ?to ?next) (not (= ?from ?next))
                       (not (blocked ?row ?next)))
    :effect (and (robot-at ?row ?to) (crate-at ?crate ?row ?next) (blocked ?row ?next)
                 (not (robot-at ?row ?from)) (not (crate-at ?crate ?row ?to))
                 (not (blocked ?row ?to))))

  (:action push-in-column
    :parameters (?crate - crate ?from ?to ?next - row ?column - column)
    :precondition (and (robot-at ?from ?column) (crate-at ?crate ?to ?column)
                       (beside ?from ?to) (beside ?to ?next) (not (= ?from ?next))
                       (not (blocked ?next ?column)))
    :effect (and (robot-at ?to ?column) (crate-at ?crate ?next ?column) (blocked ?next ?column)
                 (not (robot-at ?from ?column)) (not (crate-at ?crate ?to ?column))
                 (not (blocked ?to ?column)))))
