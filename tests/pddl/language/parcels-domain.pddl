; The domain that the tables of wrong inputs change in one place.
(define (domain Parcels)
  (:requirements :adl :derived-predicates :action-costs)
  (:types van parcel - thing
          town thing)
  (:constants Depot - town)
  (:predicates (at ?x - thing ?t - town)
               (in ?p - parcel ?v - van)
               (road ?a ?b - town)
               (reachable ?a ?b - town)
               (sleepy))
  (:functions (total-cost) - number
              (distance ?a ?b - town) - number)
  (:derived (reachable ?a ?b - town)
    (or (road ?a ?b)
        (exists (?c - town) (and (road ?a ?c) (reachable ?c ?b)))))
  (:action load-up
    :parameters (?p - parcel ?v - van ?t - town)
    :precondition (and (at ?p ?t) (at ?v ?t) (not (sleepy)))
    :effect (and (in ?p ?v) (not (at ?p ?t)) (increase (total-cost) 1)))
  (:action drive
    :parameters (?v - van ?a ?b - town)
    :precondition (and (at ?v ?a) (road ?a ?b) (not (= ?b Depot)))
    :effect (and (at ?v ?b) (not (at ?v ?a)) (increase (total-cost) (distance ?a ?b))
                 (forall (?p - parcel)
                   (when (in ?p ?v) (and (at ?p ?b) (not (in ?p ?v))))))))
