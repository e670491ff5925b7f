# The pitch wanted, from that of steady flight; its integral rests where it would wind up.
state altitude_part = 0
variable altitude_missing = altitude_command - altitude
variable climb_wish = altitude_gain*altitude_missing - climb_gain*climb_rate + altitude_part
variable climb = limit(climb_wish, -pitch_max, pitch_max)
der(altitude_part) = growth(climb_wish, climb, altitude_integral*altitude_missing)
# The throttle, in the same way.
state speed_part = 0
variable speed_missing = airspeed_command - airspeed
variable throttle_wish = throttle_trim + speed_gain*speed_missing + speed_part
throttle = limit(throttle_wish, 0, 1)
der(speed_part) = growth(throttle_wish, throttle, speed_integral*speed_missing)
variable pitching = pitch_rate*cos(roll) - yaw_rate*sin(roll)
variable pitch_missing = pitch_trim + climb - pitch
elevator = elevator_trim + stick - pitch_gain*pitch_missing + pitch_damping*pitching
aileron = roll_gain*(roll_command - roll) - roll_damping*roll_rate
variable turn = if 0 < airspeed then 9.80665*sin(roll)*cos(pitch)/airspeed else 0
rudder = pedal + yaw_damping*(yaw_rate - turn) + coordination_gain*acceleration_right
function limit(value, low, high) = if value < low then low elseif high < value then high else value
function growth(wish, given, rate) = if given < wish and 0 < rate or wish < given and rate < 0 then 0 else rate
