"""``show interface`` of NX-OS, as text and as JSON: the same ports for us and for peers.

Written after the form that Cisco documents; synthetic in all its numbers.
"""

from __future__ import annotations

import json

_TEXT = """\
{port} is up
admin state is up, Dedicated Interface
  Hardware: 40000/100000/200000/400000 Ethernet, address: 0c75.bd00.{number:04x} (bia \
0c75.bd00.{number:04x})
  Description: to host {number}
  MTU 9216 bytes, BW 400000000 Kbit , DLY 10 usec
  reliability 255/255, txload 1/255, rxload 1/255
  Encapsulation ARPA, medium is broadcast
  Port mode is routed
  full-duplex, 400 Gb/s, media type is 400G
  Beacon is turned off
  Auto-Negotiation is turned on  FEC mode is Auto
  Input flow-control is off, output flow-control is off
  Auto-mdix is turned off
  Rate mode is dedicated
  Switchport monitor is off
  EtherType is 0x8100
  EEE (efficient-ethernet) : n/a
  Last link flapped 5d20h
  Last clearing of "show interface" counters never
  1 interface resets
  30 seconds input rate 4800 bits/sec, 6 packets/sec
  30 seconds output rate 4800 bits/sec, 6 packets/sec
  Load-Interval #2: 5 minute (300 seconds)
    input rate 4.80 Kbps, 6 pps; output rate 4.80 Kbps, 6 pps
  RX
    {received} unicast packets  12 multicast packets  1 broadcast packets
    {received} input packets  {bytes} bytes
    0 jumbo packets  0 storm suppression bytes
    0 runts  0 giants  0 CRC  0 no buffer
    0 input error  0 short frame  0 overrun   0 underrun  0 ignored
    0 watchdog  0 bad etype drop  0 bad proto drop  0 if down drop
    0 input with dribble  0 input discard
    0 Rx pause
  TX
    {received} unicast packets  12 multicast packets  1 broadcast packets
    {received} output packets  {bytes} bytes
    0 jumbo packets
    0 output error  0 collision  0 deferred  0 late collision
    0 lost carrier  0 no carrier  0 babble  0 output discard
    0 Tx pause

"""


def interface_text(ports: int) -> str:
    """Give the text of so many ports."""
    return "".join(
        _TEXT.format(
            port=f"Ethernet1/{number}", number=number, received=number * 1000, bytes=number * 10**6
        )
        for number in range(1, ports + 1)
    )


def interface_json(ports: int) -> str:
    """Give the same ports as ``show interface | json`` does, all values texts."""
    rows = [_row(number) for number in range(1, ports + 1)]
    return json.dumps({"TABLE_interface": {"ROW_interface": rows}})


def _row(number: int) -> dict[str, str]:
    address = f"0c75.bd00.{number:04x}"
    packets, octets = str(number * 1000), str(number * 10**6)
    words = {
        "interface": f"Ethernet1/{number}",
        "state": "up",
        "admin_state": "up",
        "share_state": "Dedicated",
        "eth_hw_desc": "40000/100000/200000/400000 Ethernet",
        "eth_hw_addr": address,
        "eth_bia_addr": address,
        "desc": f"to host {number}",
        "eth_mtu": "9216",
        "eth_bw": "400000000",
        "eth_dly": "10",
        "eth_reliability": "255",
        "eth_txload": "1",
        "eth_rxload": "1",
        "medium": "broadcast",
        "eth_mode": "routed",
        "eth_duplex": "full",
        "eth_speed": "400 Gb/s",
        "eth_media": "400G",
        "eth_beacon": "off",
        "eth_autoneg": "on",
        "eth_in_flowctrl": "off",
        "eth_out_flowctrl": "off",
        "eth_link_flapped": "5d20h",
        "eth_clear_counters": "never",
        "eth_reset_cntr": "1",
        "eth_inucast": packets,
        "eth_inmcast": "12",
        "eth_inbcast": "1",
        "eth_inpkts": packets,
        "eth_inbytes": octets,
        "eth_outucast": packets,
        "eth_outmcast": "12",
        "eth_outbcast": "1",
        "eth_outpkts": packets,
        "eth_outbytes": octets,
    }
    zeros = (
        "jumbo_inpkts storm_supp runts giants crc nobuf inerr frame overrun underrun ignored"
        " watchdog bad_eth bad_proto in_ifdown_drops dribble indiscard inpause jumbo_outpkts"
        " outerr coll deferred latecoll lostcarrier nocarrier babbles outdiscard outpause"
    )
    return words | {f"eth_{name}": "0" for name in zeros.split()}
