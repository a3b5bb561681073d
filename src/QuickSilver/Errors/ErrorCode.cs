using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>What went wrong. The numbers lie in the ranges of the log's event ids: 1000 node, 1100 membership, 1200 transport, 1300 recovery, 1400
/// delivery, 1500 user code.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<ErrorCode>))]
public enum ErrorCode
{
    /// <summary>A defect of QuickSilver, or an end that nobody asked for.</summary>
    Internal = 1000,

    /// <summary>The node did not stop in time; what was left is abandoned. Logged, never thrown: a dispose does not throw.</summary>
    ShutdownTimedOut = 1002,

    /// <summary>The membership server cannot be reached, or cannot be hosted where the node was told to.</summary>
    MembershipUnreachable = 1100,

    /// <summary>The membership server refused the node or the group.</summary>
    MembershipRefused,

    /// <summary>A join took longer than <see cref="MembershipOptions.JoinTimeout"/>.</summary>
    JoinTimedOut,

    /// <summary>The group exists in another mode.</summary>
    GroupModeMismatch,

    /// <summary>The node was removed from the cluster.</summary>
    Evicted,

    /// <summary>The call is for the node that serves the membership, and this one does not.</summary>
    NotServing = 1107,

    /// <summary>No member of that name is missing.</summary>
    NoSuchMember = 1108,

    /// <summary>Another host serves the cluster that this node was to host.</summary>
    AnotherHost = 1110,

    /// <summary>The chosen network interface does not exist, or has no IPv4 address.</summary>
    InterfaceUnavailable = 1200,

    /// <summary><see cref="TransportKind.Multicast"/> was asked for, and the probe did not come back.</summary>
    MulticastUnavailable,

    /// <summary>No port of <see cref="TransportOptions.PortRange"/> is free.</summary>
    PortsExhausted,

    /// <summary>The other side speaks another version.</summary>
    IncompatibleVersion,

    /// <summary>The other side broke the protocol.</summary>
    ProtocolViolation,

    /// <summary>The application read too slowly.</summary>
    SlowConsumer = 1400,

    /// <summary>A message is too long.</summary>
    PayloadTooLarge,

    /// <summary>The process had no memory for a message.</summary>
    OutOfMemory = 1405,

    /// <summary>The application's code threw.</summary>
    HandlerFailed = 1500,
}
