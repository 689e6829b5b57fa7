#!/usr/bin/env bash
# The exact, unique match as a strategy for editgauge: one JSON object a line each way (docs/protocol.md).
#
#   editgauge run house -s 'cmd:mine=bash edit.sh'     needs jq, which reads, edits and answers

exec jq --compact-output --unbuffered '
def rejected($reason): {status: "rejected", reason: $reason};

# A refusal stops the edits that follow, since only a text can be edited.
def edited($edit):
  if type != "string" then .
  elif $edit.old_string == $edit.new_string then rejected("identical")
  elif $edit.old_string == "" then rejected("empty")
  else
    . as $content | split($edit.old_string) as $pieces
    | if ($pieces | length) < 2 then rejected("no_match")
      elif $edit.replace_all then $pieces | join($edit.new_string)
      elif ($content | indices($edit.old_string) | length) > 1 then rejected("ambiguous")
      else $pieces | join($edit.new_string)
      end
  end;

. as $request
| reduce .edits[] as $edit (.before[0].content; edited($edit))
| if type == "string" then {status: "applied", after: [{path: $request.before[0].path, content: .}]} else . end
| {id: $request.id} + .
'
