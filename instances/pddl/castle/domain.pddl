; A thief in a castle: doors are opened with keys, or by force; the guard must not see the crown go.
;
; Where the thief can be, and what the guard sees, follows from the doors that are open. What is
; minimized is the noise.
;
; Tells    (thief R)  (guard R)   the room where each of them is at the start
;          (lies I R)             key or crown I lies in room R; (carried I) if the thief has it
;          (joins D R S)          door D is between rooms R and S
;          (open D)               door D is open
;          (fits K D)             key K opens door D, and breaks
;          (= (noise D) N)        how loud it is to force door D
; Derives  (near A B)             rooms A and B are the same, or joined by doors that are open
;          (reached R)            the thief can be in room R
;          (watched R)            the guard sees room R

(define (domain castle)
  (:requirements :adl :derived-predicates :action-costs)
  (:types key crown - item
          room door item)
  (:predicates (thief ?room - room)
               (guard ?room - room)
               (lies ?item - item ?room - room)
               (carried ?item - item)
               (joins ?door - door ?room ?other - room)
               (open ?door - door)
               (fits ?key - key ?door - door)
               (near ?room ?other - room)
               (reached ?room - room)
               (watched ?room - room))
  (:functions (total-cost) - number
              (noise ?door - door) - number)

  (:derived (near ?room ?other - room)
    (or (= ?room ?other)
        (exists (?door - door ?middle - room)
          (and (near ?room ?middle)
               (open ?door)
               (or (joins ?door ?middle ?other) (joins ?door ?other ?middle))))))

  (:derived (reached ?room - room)
    (exists (?start - room) (and (thief ?start) (near ?start ?room))))

  (:derived (watched ?room - room)
    (exists (?post - room) (and (guard ?post) (near ?post ?room))))

  ; Keys may be taken before the eyes of the guard, the crown may not.
  (:action take
    :parameters (?item - item ?room - room)
    :precondition (and (lies ?item ?room) (reached ?room)
                       (or (not (watched ?room)) (exists (?key - key) (= ?item ?key))))
    :effect (and (carried ?item) (not (lies ?item ?room)) (increase (total-cost) 1)))

  (:action unlock
    :parameters (?door - door ?key - key)
    :precondition (and (not (open ?door)) (carried ?key) (fits ?key ?door)
                       (exists (?room ?other - room)
                         (and (or (joins ?door ?room ?other) (joins ?door ?other ?room))
                              (reached ?room))))
    :effect (and (open ?door) (not (carried ?key)) (increase (total-cost) 2)))

  (:action force
    :parameters (?door - door)
    :precondition (and (not (open ?door))
                       (exists (?room ?other - room)
                         (and (or (joins ?door ?room ?other) (joins ?door ?other ?room))
                              (reached ?room))))
    :effect (and (open ?door) (increase (total-cost) (noise ?door))))

  (:action shut
    :parameters (?door - door)
    :precondition (and (open ?door)
                       (exists (?room ?other - room)
                         (and (or (joins ?door ?room ?other) (joins ?door ?other ?room))
                              (reached ?room))))
    :effect (and (not (open ?door)) (increase (total-cost) 1))))
