from django.http import HttpRequest, HttpResponse
from django.urls import path

PAGE = """<!doctype html><title>floor</title><link rel="icon" href="data:,">
<button class="go">Step</button><p class="where"><b>step 0</b></p>
<script>
  const socket = new WebSocket(`ws://${location.host}/ws${location.pathname}`);
  const label = document.querySelector("b");
  let number = 0;
  socket.onopen = () => { document.body.dataset.ready = "yes"; };
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    JSON.parse(message.body);
    requestAnimationFrame(() => { label.textContent = `step ${message.number}`; });
  };
  document.querySelector("button").onclick = () => { number += 1; socket.send(JSON.stringify(number)); };
</script>"""


def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse(PAGE)


urlpatterns = [path("", page), path("all/", page)]
