"""From navigation until the memory answers: on a new profile, and again on the same one."""

from __future__ import annotations

from statistics import median

from tests.bench._page import arguments, finish, import_file, open_page, profile, site

PROFILES = 3
LOADS = 4


def main() -> None:
    options = arguments(__doc__)
    first: list[float] = []
    again: list[float] = []
    with site() as (playwright, url):
        for number in range(PROFILES):
            with profile(playwright) as context:
                page, ms = open_page(context, url)
                first.append(ms)
                if options.data:
                    import_file(page, options.data)
                page.close()
                for _ in range(LOADS):
                    page, ms = open_page(context, url)
                    again.append(ms)
                    page.close()
            later = ", ".join(f"{ms:.0f}" for ms in again[-LOADS:])
            print(f"profile {number + 1}: first {first[-1]:.0f} ms, then {later} ms")
    finish("boot", first_ms=round(median(first)), again_ms=round(median(again)), loads=len(again))


if __name__ == "__main__":
    main()
