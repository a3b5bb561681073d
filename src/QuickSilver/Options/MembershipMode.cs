using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Location of the membership server.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<MembershipMode>))]
public enum MembershipMode
{
    /// <summary>On this machine, without configuration. The first process of a cluster serves it, at
    /// <see cref="MembershipOptions.Port"/> on 127.0.0.1; when it ends, another process takes over. Each cluster of the
    /// machine has a port and a server of its own.</summary>
    Loopback,

    /// <summary>On another node, at one of <see cref="MembershipOptions.Servers"/>.</summary>
    Client,

    /// <summary>In this process, at <see cref="MembershipOptions.Address"/>, for other machines as well. The start
    /// first looks for a host of the same cluster at <see cref="MembershipOptions.Servers"/>, and fails if one
    /// serves.</summary>
    Host,

    /// <summary>In whichever process <see cref="MembershipOptions.Election"/> elects: any node of the cluster may
    /// serve, and another takes over when it ends. Servers need no addresses in the configuration.</summary>
    Elected,

    /// <summary>In one of the nodes, which elect it themselves, without any service: it serves while a majority of them
    /// reaches it, and another takes over when it ends. <see cref="MembershipOptions.Peers"/> says who votes.
    /// </summary>
    Peers,
}
