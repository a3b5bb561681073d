using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Where the membership server is.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<MembershipMode>))]
public enum MembershipMode
{
    /// <summary>On this machine: the first process that binds <see cref="MembershipOptions.Port"/> on 127.0.0.1 serves, and another takes over when
    /// it goes. No configuration.</summary>
    Loopback,

    /// <summary>At one of <see cref="MembershipOptions.Servers"/>.</summary>
    Client,

    /// <summary>In this process, at <see cref="MembershipOptions.Address"/>, for other machines too. A host of the same cluster at one of
    /// <see cref="MembershipOptions.Servers"/> is asked first: while it serves, this one does not start.</summary>
    Host,
}
