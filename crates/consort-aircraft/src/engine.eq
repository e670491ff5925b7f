state opening = opening0
der(opening) = if lag <= 0 then 0 else (limit(throttle, 0, 1) - opening)/lag
variable part = max(1.132*(density/1.225) - 0.132, 0)
power_ = power_max*opening*part
variable speed = max(airspeed, 0)
variable by_speed = if speed < design_speed then (2 - speed/design_speed)/design_speed else 1/speed
thrust = power_*efficiency_max*by_speed
function limit(value, low, high) = if value < low then low elseif high < value then high else value
