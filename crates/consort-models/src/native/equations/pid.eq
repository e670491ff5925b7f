variable error = setpoint - measurement
state integral = integral0
state filtered = setpoint - measurement
variable derivative_part = if kd == 0 then 0 else kd*(error - filtered)/tf
variable wish = kp*error + integral + derivative_part
u = limit(wish, min_, max_)
der(integral) = if max_ < wish and 0 < ki*error or wish < min_ and ki*error < 0 then 0 else ki*error
der(filtered) = if tf <= 0 then 0 else (error - filtered)/tf
function limit(value, low, high) = if value < low then low elseif high < value then high else value
