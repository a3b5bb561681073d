using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The cause of a <see cref="QuickSilverException"/>, stable across versions. Its ranges match the log's event
/// ids: 1000 node, 1100 membership, 1200 transport, 1300 recovery, 1400 delivery, 1500 user code.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<ErrorCode>))]
public enum ErrorCode
{
    /// <summary>A defect of QuickSilver, or an end without a known reason.</summary>
    Internal = 1000,

    /// <summary>The node did not stop in time and abandoned its remaining work. Logged, never thrown: a dispose does
    /// not throw.</summary>
    ShutdownTimedOut = 1002,

    /// <summary>The membership server cannot be reached, or this node cannot host it at the configured
    /// address.</summary>
    MembershipUnreachable = 1100,

    /// <summary>The membership server refused the node or the group.</summary>
    MembershipRefused = 1101,

    /// <summary>A join took longer than <see cref="MembershipOptions.JoinTimeout"/>.</summary>
    JoinTimedOut = 1102,

    /// <summary>The group exists with another <see cref="GroupMode"/>, or with another value of
    /// <see cref="ReliableMode.Hybrid"/>.</summary>
    GroupModeMismatch = 1103,

    /// <summary>The node was removed from the cluster.</summary>
    Evicted = 1104,

    /// <summary>The node and the membership server do not trust each other: the message says which key or certificate
    /// does not fit, and why.</summary>
    AuthenticationFailed = 1105,

    /// <summary><see cref="SecurityOptions.Authorize"/> does not let the node into the group.</summary>
    NotAuthorized = 1106,

    /// <summary>The call is only valid on the node that serves the membership, and this node does not.</summary>
    NotServing = 1107,

    /// <summary>No missing member has the given name.</summary>
    NoSuchMember = 1108,

    /// <summary>A node on a network has no choice of security: the message names the lines to choose from.</summary>
    SecurityNotChosen = 1109,

    /// <summary>Another host already serves the cluster that this node was to host.</summary>
    AnotherHost = 1110,

    /// <summary>The node is in as many hybrid groups as <see cref="TransportOptions.MaxHybridGroups"/>
    /// allows.</summary>
    TooManyHybridGroups = 1111,

    /// <summary>As many nodes with this node's certificate identity are in the cluster as
    /// <see cref="SecurityOptions.MaxNodesPerIdentity"/> allows.</summary>
    TooManyNodesOfIdentity = 1112,

    /// <summary>The node's name does not fit its certificate identity, and
    /// <see cref="SecurityOptions.BindNodeNames"/> demands it.</summary>
    NameNotOfIdentity = 1113,

    /// <summary>The chosen network interface does not exist, or has no usable address.</summary>
    InterfaceUnavailable = 1200,

    /// <summary><see cref="TransportKind.Multicast"/> is required, and the multicast probe did not
    /// return.</summary>
    MulticastUnavailable = 1201,

    /// <summary>No port of <see cref="TransportOptions.PortRange"/> is free.</summary>
    PortsExhausted = 1202,

    /// <summary>The membership server or the cluster uses an incompatible version of the protocol.</summary>
    IncompatibleVersion = 1203,

    /// <summary>The membership server sent data that breaks the protocol.</summary>
    ProtocolViolation = 1204,

    /// <summary>The platform does not have <see cref="SecurityOptions.Cipher"/>.</summary>
    CipherUnavailable = 1205,

    /// <summary>The system has no OpenSSL, which .NET needs on Linux for all cryptography.</summary>
    CryptographyMissing = 1207,

    /// <summary>The application read too slowly.</summary>
    SlowConsumer = 1400,

    /// <summary>A message is longer than <see cref="PendingOptions.MaxMessageBytes"/>.</summary>
    PayloadTooLarge = 1401,

    /// <summary>The process had too little memory for a message.</summary>
    OutOfMemory = 1405,

    /// <summary>The sender of a long message gave it up before its end.</summary>
    LongMessageGivenUp = 1410,

    /// <summary>The sender of a long message left the group, or was removed from the cluster, before its
    /// end.</summary>
    LongMessageIncomplete = 1411,

    /// <summary>The group's <see cref="GroupMode"/> does not promise what the call asks for.</summary>
    RefusedByMode = 1412,

    /// <summary>The node has as many long messages under way in a group as it may.</summary>
    TooManyLongMessages = 1413,

    /// <summary>The node was removed because it took messages more slowly than they were sent, for longer than a sender
    /// waits (<see cref="PendingOptions.SlowMemberTimeout"/>).</summary>
    TooSlow = 1415,

    /// <summary>As many calls as <see cref="PendingOptions.MaxWaitingCallsPerRegion"/> wait for room to send
    /// already.</summary>
    TooManyWaitingSends = 1420,

    /// <summary>A send has waited for room for <see cref="PendingOptions.NoServerTimeout"/> while nobody could remove
    /// the members that it waits for; it is not accepted.</summary>
    SendHeldUp = 1430,

    /// <summary>The wait for a confirmation, or a flush, has lasted for <see cref="PendingOptions.NoServerTimeout"/>
    /// while nobody could remove the members that it waits for; the messages are sent, and go on.</summary>
    ConfirmationHeldUp = 1431,

    /// <summary>The node's address and those of the cluster or its servers are of different families, IPv4 and
    /// IPv6.</summary>
    AddressFamilyMismatch = 1435,

    /// <summary>No cipher is one that this node and all nodes of the cluster have: their
    /// <see cref="SecurityOptions.Cipher"/> differ.</summary>
    NoCommonCipher = 1438,

    /// <summary>A handler, feed or key selector of the application threw.</summary>
    HandlerFailed = 1500,
}
