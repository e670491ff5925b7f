state y = limit(y0, min_, max_)
state rate = 0
variable goal = limit(u, min_, max_)
variable acceleration = frequency*frequency*(goal - y) - 2*damping*frequency*rate
der(y) = limit(rate, -rate_max, rate_max)
der(rate) = if rate_max <= rate and 0 < acceleration or rate <= -rate_max and acceleration < 0 then 0 else acceleration
when rate_max < rate then
  rate = rate_max
end
when rate < -rate_max then
  rate = -rate_max
end
when max_ < y then
  y = max_
  rate = 0
end
when y < min_ then
  y = min_
  rate = 0
end
function limit(value, low, high) = if value < low then low elseif high < value then high else value
