; Three towns on a line, a courier in each, one train; four parcels.
; Fewest steps 10, fewest actions 33.

(define (problem parcels-2)
  (:domain parcels)
  (:objects
    Ulm-station Bern-station Graz-station - station Ulm-minster Ulm-port Bern-market
    Bern-mill Graz-castle Graz-bridge - place Ida Max Eva - courier express - train book
    hat tea ink - parcel)
  (:init
    (at Ida Ulm-minster) (at Max Bern-station) (at Eva Graz-castle)
    (at express Ulm-station)
    (at book Ulm-port) (at hat Bern-market) (at tea Graz-bridge) (at ink Ulm-port)
    (street Ulm-station Ulm-minster) (street Ulm-station Ulm-port)
    (street Ulm-minster Ulm-station) (street Ulm-minster Ulm-port)
    (street Ulm-port Ulm-station) (street Ulm-port Ulm-minster)
    (street Bern-station Bern-market) (street Bern-station Bern-mill)
    (street Bern-market Bern-station) (street Bern-market Bern-mill)
    (street Bern-mill Bern-station) (street Bern-mill Bern-market)
    (street Graz-station Graz-castle) (street Graz-station Graz-bridge)
    (street Graz-castle Graz-station) (street Graz-castle Graz-bridge)
    (street Graz-bridge Graz-station) (street Graz-bridge Graz-castle)
    (line Ulm-station Bern-station) (line Bern-station Ulm-station)
    (line Bern-station Graz-station) (line Graz-station Bern-station))
  (:goal (and
    (at book Graz-castle) (at hat Ulm-minster) (at tea Bern-mill) (at ink Ulm-minster))))
