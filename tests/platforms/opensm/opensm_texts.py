"""Files of a subnet manager as people write them. Made up by us, in OpenSM's formats."""

OPTIONS = """\
# subnet manager of the storage fabric
guid 0x0002c90300100001
subnet_prefix 0xfe800000000000a1
lmc 0                  # one LID a port
sm_priority 14
routing_engine ftree, updn
root_guid_file /etc/opensm/roots.txt
partition_config_file /etc/opensm/partitions.conf
log_file /var/log/opensm.log
qos TRUE
qos_policy_file /etc/opensm/qos-policy.conf
qos_high_limit 4
qos_vlarb_high 1:64,2:32
qos_vlarb_low 0:64,3:64
qos_sl2vl 0,1,2,3,0,0,0,0,0,0,0,0,0,0,0,15
cc_cct (null)
"""

PARTITIONS = """\
# two tenants and a storage partition
Default=0x7fff, ipoib, mtu=5, rate=16 : ALL=limited, ALL_SWITCHES=full, SELF=full ;
tenantA = 0x0a01 , ipoib, sl=1, defmember=full :
    0x0002c90300100001, 0x0002c90300100011,
    0x0002c90300100021 = limited ;
storage=0x0b02, sl=2 : ALL_CAS=limited, 0x0002c903001000f1=full ; spare=0x0b03 : ;
"""

POLICY = """\
# traffic of tenants on lanes of their own
qos-ulps
    ipoib                          : 3
    sdp, port-num 10000-20000      : 2
    any, pkey 0x0a01               : 1
    any, service-id 0x6234, 0x7000 : 1
    default                        : 0
end-qos-ulps

port-groups
    port-group
        name: stores
        use: storage targets
        port-guid: 0x0002c903001000f1, 0x0002c90300100100-0x0002c90300100110
        node-type: CA
    end-port-group
end-port-groups

qos-levels
    qos-level
        name: DEFAULT
        sl: 0
    end-qos-level
    qos-level
        name: bulk
        sl: 2
        mtu-limit: 4
        rate-limit: 16
        packet-life: 18
    end-qos-level
end-qos-levels

qos-match-rules
    qos-match-rule
        use: to the stores
        destination: stores
        qos-class: 7-9,11
        qos-level-name: bulk
    end-qos-match-rule
end-qos-match-rules
"""

ROOTS = """\
# spine01
0x0002c90200300000
0x0002c90200300010   # spine02
"""

NAMES = """\
# switches by their node GUID
0x0002c90200300000 "spine01"
0x0002c90200200000 "leaf01 # rack 3"
"""
