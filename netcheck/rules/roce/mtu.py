"""MTU: every RDMA packet fits every hop, and hosts use the size they could."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.fact import NotGivenError, View, is_readable
from netcheck.model.finding import Severity
from netcheck.model.view import FabricView, LinkView, PortView, RdmaView
from netcheck.rules.rule import Fault, Scope, rule

ROCE_IPV4_BYTES = 64  # IP 20, UDP 8, BTH 12, RETH 16, immediate 4, ICRC 4
ETHERNET_BYTES = 18  # header and one VLAN tag, without FCS
ROCE = "IBTA Architecture Specification volume 1, annex A17 (RoCEv2)"


def largest_frame(port: PortView) -> int:
    """Largest frame in bytes: as stated, else the IP MTU with its Ethernet header.

    Raises:
        UnknownFactError: Neither is known.
    """
    if is_readable(port, "l2_mtu") or not is_readable(port, "ip_mtu"):
        return port.l2_mtu
    return port.ip_mtu + ETHERNET_BYTES


@rule(
    "mtu-below-intent",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"derived: frames of the declared size are dropped without a message; {ROCE}",
    supersedes=("mtu-link-mismatch", "mtu-roce-vs-eth", "mtu-ib-active-below-intent"),
)
def mtu_below_intent(port: PortView) -> Iterator[Fault]:
    """A port takes smaller frames than the intent says.

    Why: larger frames are dropped there, silently, for RDMA packets are never fragmented.
    Bad: intended 9216 bytes, found 1500.
    Good: 9216 bytes, or more.
    Fix: set the MTU of the port.
    """
    fact, intended, found = _intended_and_found(port)
    if found < intended:
        yield Fault(port, (fact,), f">= {intended} bytes", f"{found} bytes")


def _intended_and_found(port: PortView) -> tuple[str, int, int]:
    facts = ("ip_mtu",) if port.device.is_host else ("l2_mtu", "ip_mtu")
    said = {fact: value for fact in facts if (value := _intended(port, fact))}
    if not said:
        raise NotGivenError("intended MTU")
    fact = next((fact for fact in said if is_readable(port, fact)), next(iter(said)))
    return fact, said[fact], getattr(port, fact)


def _intended(port: PortView, fact: str) -> int | None:
    """What is said for the port, else for all of its policy."""
    sources = [
        source for name in ("intended", "policy") if (source := _view(port, name)) is not None
    ]
    return next((getattr(each, fact) for each in sources if is_readable(each, fact)), None)


def _view(port: PortView, name: str) -> View | None:
    return getattr(port, name) if is_readable(port, name) else None


@rule(
    "mtu-link-mismatch",
    severity=Severity.ERROR,
    scope=Scope.LINK,
    source="derived: a switch drops frames above its MTU and tells nobody",
)
def mtu_link_mismatch(link: LinkView) -> Iterator[Fault]:
    """The two ends of a link take frames of different size.

    Why: the end with the smaller MTU drops jumbo frames. (A host may use less than its switch.)
    Bad: 9216 bytes at the leaf, 1500 at the spine.
    Good: 9216 at both.
    Fix: raise the smaller one.
    """
    a, b = link.ends
    if not (a.is_rdma and b.is_rdma):
        return
    for here, there in link.directions():
        if here.device.is_host:
            continue
        found, other = largest_frame(here), largest_frame(there)
        if found < other:
            facts = ("l2_mtu",) if is_readable(here, "l2_mtu") else ("ip_mtu",)
            yield Fault(here, facts, f">= {other} bytes", f"{found} bytes", note="as the peer")


@rule(
    "mtu-roce-vs-eth",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=ROCE,
    supersedes=("mtu-link-mismatch",),
    is_proof=False,
)
def mtu_roce_vs_eth(fabric: FabricView) -> Iterator[Fault]:
    """A switch port takes smaller frames than the RDMA packets of the hosts.

    Why: full packets are dropped there, silently; small ones pass, so the link looks well.
    Bad: hosts with RDMA MTU 4096, switch port 1500 bytes.
    Good: at least 4096 + 64 bytes of headers, and those of Ethernet.
    Fix: raise the MTU of the port.
    """
    sizes = []
    for rdma in fabric.rdma:
        with fabric.attempt():
            sizes.append(rdma.active_mtu)
    if not sizes:
        raise NotGivenError("RDMA MTU of the hosts")
    needed = max(sizes) + ROCE_IPV4_BYTES + ETHERNET_BYTES
    for port in fabric.ports:
        with fabric.attempt():
            if port.is_rdma and not port.device.is_host and largest_frame(port) < needed:
                found = f"{largest_frame(port)} bytes"
                yield Fault(port, ("l2_mtu",), f">= {needed} bytes", found)


@rule(
    "mtu-ib-active-below-intent",
    severity=Severity.WARNING,
    scope=Scope.RDMA,
    source="torvalds/linux include/rdma/ib_addr.h, iboe_get_mtu: 96 bytes of headers are "
    "subtracted, so 4096 needs a netdev MTU of 4192",
    is_proof=False,
)
def mtu_ib_active_below_intent(rdma: RdmaView) -> Iterator[Fault]:
    """An RDMA device uses smaller packets than it could or should.

    Why: more headers and more packets for the same data; peers of one job must agree.
    Bad: active MTU 1024, supported 4096, because the netdev has MTU 1500.
    Good: active MTU 4096 with a netdev MTU of 4200 or more.
    Fix: raise the MTU of the netdev.
    """
    try:
        wanted = rdma.policy.rdma_mtu
    except NotGivenError:
        wanted = rdma.max_mtu
    if rdma.active_mtu < wanted:
        yield Fault(rdma, ("active_mtu",), f">= {wanted}", rdma.active_mtu)
