using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Location of the membership server.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<MembershipMode>))]
public enum MembershipMode
{
    /// <summary>On this machine, without configuration. The first process that binds
    /// <see cref="MembershipOptions.Port"/> on 127.0.0.1 serves; when it ends, another process takes over.</summary>
    Loopback,

    /// <summary>On another node, at one of <see cref="MembershipOptions.Servers"/>.</summary>
    Client,

    /// <summary>In this process, at <see cref="MembershipOptions.Address"/>, for other machines as well. The start
    /// first looks for a host of the same cluster at <see cref="MembershipOptions.Servers"/>, and fails if one
    /// serves.</summary>
    Host,
}
