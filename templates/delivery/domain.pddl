;; delivery: a courier rides through a town and brings parcels to their houses.
;; The bag holds one parcel at a time; roads may be of different length.

(define (domain delivery)
  (:requirements :strips :typing :action-costs)

  (:types place parcel)

  (:predicates
    (road ?a ?b - place)           ; there is a road from a to b
    (here ?a - place)              ; the courier is at a
    (lies ?p - parcel ?a - place)  ; the parcel lies at a
    (carried ?p - parcel)          ; the parcel is in the bag
    (free))                        ; nothing is in the bag

  (:functions
    (length ?a ?b - place)         ; of the road from a to b
    (total-cost))                  ; what a plan costs

  (:action ride
    :parameters (?a ?b - place)
    :precondition (and (here ?a) (road ?a ?b))
    :effect (and (here ?b) (not (here ?a)) (increase (total-cost) (length ?a ?b))))

  (:action take
    :parameters (?p - parcel ?a - place)
    :precondition (and (here ?a) (lies ?p ?a) (free))
    :effect (and (carried ?p) (not (lies ?p ?a)) (not (free)) (increase (total-cost) 1)))

  (:action leave
    :parameters (?p - parcel ?a - place)
    :precondition (and (here ?a) (carried ?p))
    :effect (and (lies ?p ?a) (free) (not (carried ?p)) (increase (total-cost) 1))))
