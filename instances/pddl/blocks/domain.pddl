; Blocks on a table and an arm that holds one of them at a time.
;
; Tells  (on A B)        block A stands on block B
;        (on-table A)    block A stands on the table
;        (clear A)       nothing stands on A, and the arm does not hold it
;        (holding A)     the arm holds A; (arm-empty) if it holds nothing

(define (domain blocks)
  (:requirements :strips :typing)
  (:types block)
  (:predicates (on ?above ?below - block)
               (on-table ?block - block)
               (clear ?block - block)
               (holding ?block - block)
               (arm-empty))

  ; Take a block from the table.
  (:action pick-up
    :parameters (?block - block)
    :precondition (and (arm-empty) (clear ?block) (on-table ?block))
    :effect (and (holding ?block)
                 (not (arm-empty)) (not (clear ?block)) (not (on-table ?block))))

  ; Take a block from another one.
  (:action unstack
    :parameters (?block ?below - block)
    :precondition (and (arm-empty) (clear ?block) (on ?block ?below))
    :effect (and (holding ?block) (clear ?below)
                 (not (arm-empty)) (not (clear ?block)) (not (on ?block ?below))))

  ; Put the block that is held on the table.
  (:action put-down
    :parameters (?block - block)
    :precondition (holding ?block)
    :effect (and (arm-empty) (clear ?block) (on-table ?block)
                 (not (holding ?block))))

  ; Put the block that is held on another one.
  (:action stack
    :parameters (?block ?below - block)
    :precondition (and (holding ?block) (clear ?below))
    :effect (and (arm-empty) (clear ?block) (on ?block ?below)
                 (not (holding ?block)) (not (clear ?below)))))
