model controller "opens the valve at the highest level and closes it at the lowest"
  parameter maxlevel = 2 "m"
  parameter minlevel = 1 "m"
  input level = 1.5 "m"
  output discrete valve = 0 "" "0: closed, 1: open"
  when level >= maxlevel then
    valve = 1
  end
  when level <= minlevel then
    valve = 0
  end
end
