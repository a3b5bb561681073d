using Microsoft.Extensions.Logging;

namespace QuickSilver.Diagnostics;

/// <summary>
/// Every log message of QuickSilver with its event id: 1000 node, 1100 membership, 1200 transport, 1300 recovery, 1400
/// delivery, 1500 user code. The ids are a contract with readers of the log: a message keeps its id, and a new message
/// takes a new one.
/// </summary>
internal static partial class Log
{
    [LoggerMessage(
        1001,
        LogLevel.Information,
        "Node {Name} ({Id}) is running in cluster {Cluster}, {Transport} on {Interface}")]
    public static partial void NodeStarted(
        ILogger logger, string name, string id, string cluster, string transport, string @interface);

    [LoggerMessage(1002, LogLevel.Information, "Node {Name} has stopped")]
    public static partial void NodeStopped(ILogger logger, string name);

    [LoggerMessage(1003, LogLevel.Error, "Node {Name} has stopped by itself")]
    public static partial void NodeFailed(ILogger logger, string name, Exception reason);

    [LoggerMessage(
        1004,
        LogLevel.Error,
        "Node {Name} did not stop within {Timeout}: the core thread hangs in {Phase}; remaining work is abandoned")]
    public static partial void ShutdownTimedOut(ILogger logger, string name, TimeSpan timeout, string phase);

    [LoggerMessage(
        1005,
        LogLevel.Warning,
        "Node {Name}: not every message sent was known to be held by every live member when {Ended} after {Timeout} "
        + "(Shutdown.DrainTimeout). It waited for {Awaited}")]
    public static partial void DrainTimedOut(
        ILogger logger, string name, string ended, TimeSpan timeout, string awaited);

    [LoggerMessage(
        1006,
        LogLevel.Warning,
        "{Count} log records were dropped: the logging providers are slower than the node")]
    public static partial void RecordsDropped(ILogger logger, int count);

    [LoggerMessage(
        EventId = 1007,
        Message = "Node {Name}: the core thread was held up for {Duration} by {Phase}, {Cause}")]
    public static partial void Stalled(
        ILogger logger, LogLevel level, string name, TimeSpan duration, LoopPhase phase, string cause);

    [LoggerMessage(
        1008,
        LogLevel.Error,
        "Node {Name}: the core thread has not returned from {Phase} of group {Group} for {Duration}, and the node "
        + "neither receives nor answers meanwhile. User code on that thread must not block, nor wait for a call of "
        + "QuickSilver (.Wait(), .Result)")]
    public static partial void Hanging(ILogger logger, string name, TimeSpan duration, LoopPhase phase, string group);

    [LoggerMessage(1009, LogLevel.Warning, "Node {Name} was not admitted to the cluster: {Reason}")]
    public static partial void NodeNotAdmitted(ILogger logger, string name, string reason);

    [LoggerMessage(
        1160,
        LogLevel.Warning,
        "Node {Name}: Delivery.InboxMaxBytesPerNode, Pending.MaxBytesPerNode and Recovery.CacheBytes allow {Sum} "
        + "bytes, and the process may have a heap of {Heap}")]
    public static partial void LimitsExceedHeap(ILogger logger, string name, decimal sum, long heap);

    [LoggerMessage(
        1161,
        LogLevel.Error,
        "Node {Name}: there was no memory for a message of group {Group}, and its handle has left the group")]
    public static partial void NoMemoryForGroup(ILogger logger, string name, string group);

    [LoggerMessage(1101, LogLevel.Information, "This process serves the membership at {Endpoint}")]
    public static partial void ServingMembership(ILogger logger, string endpoint);

    [LoggerMessage(1102, LogLevel.Information, "Connected to the membership server at {Server}")]
    public static partial void MembershipConnected(ILogger logger, string server);

    [LoggerMessage(1103, LogLevel.Warning, "Node {Name} has lost the membership server at {Server}: {End}")]
    public static partial void MembershipLost(ILogger logger, string name, string server, string end);

    [LoggerMessage(1104, LogLevel.Warning, "Node {Name} reaches no membership server: {Reason}")]
    public static partial void MembershipUnreachable(ILogger logger, string name, string reason);

    [LoggerMessage(1105, LogLevel.Error, "Node {Name} was removed from the cluster: {Reason}")]
    public static partial void Evicted(ILogger logger, string name, string reason);

    [LoggerMessage(1106, LogLevel.Information, "Node {Name} is back as {Id}; its groups have to be joined again")]
    public static partial void Rejoined(ILogger logger, string name, string id);

    [LoggerMessage(1107, LogLevel.Debug, "Joined {Group}, {Members} members")]
    public static partial void Joined(ILogger logger, string group, int members);

    [LoggerMessage(1108, LogLevel.Debug, "Left {Group}")]
    public static partial void Left(ILogger logger, string group);

    [LoggerMessage(1113, LogLevel.Debug, "Publishes to {Group}, {Members} members")]
    public static partial void PublisherOpened(ILogger logger, string group, int members);

    [LoggerMessage(1114, LogLevel.Debug, "Publishes to {Group} no longer")]
    public static partial void PublisherClosed(ILogger logger, string group);

    [LoggerMessage(1109, LogLevel.Warning, "The membership server here refused {Remote}: {Reason}, {Count} so far")]
    public static partial void HostRefused(ILogger logger, string remote, string reason, long count);

    [LoggerMessage(
        1110,
        LogLevel.Warning,
        "The membership server here dropped the connection of {Remote}: {End}, {Count} so far")]
    public static partial void HostDropped(ILogger logger, string remote, string end, long count);

    [LoggerMessage(1111, LogLevel.Error, "The membership server here has failed")]
    public static partial void HostFailed(ILogger logger, Exception fault);

    [LoggerMessage(
        1146,
        LogLevel.Warning,
        "Node {Node} serves the membership, and its lease is not renewed: {Reason}. It stops to serve when that ends")]
    public static partial void RenewalFailed(ILogger logger, string node, string reason);

    [LoggerMessage(
        1147,
        LogLevel.Warning,
        "Node {Node} has stopped to serve the membership: its lease has ended. Another process takes over")]
    public static partial void LeaseEnded(ILogger logger, string node);

    [LoggerMessage(1112, LogLevel.Information, "{Count} nodes were removed from the cluster: {Names}")]
    public static partial void NodesRemoved(ILogger logger, int count, string names);

    [LoggerMessage(
        1120,
        LogLevel.Error,
        "The membership server of cluster {Cluster} makes no views: it has taken over and waits for half of the "
        + "members; {Missing} are missing and {Present} are present. Start {Names} again under these names, or call "
        + "ForgetMemberAsync here for those that are permanently gone, or set Membership.AwaitMajority to false")]
    public static partial void MajorityAwaited(ILogger logger, string cluster, int missing, int present, string names);

    [LoggerMessage(
        1121,
        LogLevel.Error,
        "The membership server of cluster {Cluster} removes no node: it has lost sight of {Missing} members at "
        + "once and sees {Present}, so this host may be cut off. Repair its network; or start {Names} again under "
        + "these names, or call ForgetMemberAsync here for those that are permanently gone. Membership.AwaitMajority "
        + "switches this off")]
    public static partial void SightLost(ILogger logger, string cluster, int missing, int present, string names);

    [LoggerMessage(
        1122,
        LogLevel.Information,
        "The membership server of cluster {Cluster} continues: the members it waited for are present")]
    public static partial void HoldEnded(ILogger logger, string cluster);

    [LoggerMessage(1123, LogLevel.Warning, "Node {Name} waits because its membership server removes no node: {Hold}")]
    public static partial void MembershipHeld(ILogger logger, string name, string hold);

    [LoggerMessage(
        1140,
        LogLevel.Information,
        "Node {Name} secures its connections by {Mode}: {Source}. Ciphers for datagrams: {Ciphers}")]
    public static partial void Secured(ILogger logger, string name, string mode, string source, string ciphers);

    [LoggerMessage(
        1149,
        LogLevel.Warning,
        "Node {Name} cannot use AEGIS-128L: {Fault}. It seals datagrams with {Cipher}, and so do all in its regions. "
        + "Messages cost more; set Security.Cipher where this is meant")]
    public static partial void LesserCipher(ILogger logger, string name, string fault, string cipher);

    [LoggerMessage(
        1141,
        LogLevel.Warning,
        "Node {Name} is not secured (Security.Mode None): all who reach it can read and forge messages")]
    public static partial void Insecure(ILogger logger, string name);

    [LoggerMessage(
        1142,
        LogLevel.Warning,
        "The membership server here refused {Remote}, which did not authenticate: {Reason}, {Count} so far")]
    public static partial void PeerRefused(ILogger logger, string remote, string reason, long count);

    [LoggerMessage(1143, LogLevel.Error, "Node {Name} keeps its keys, because the new ones cannot be used: {Fault}")]
    public static partial void KeyUnreadable(ILogger logger, string name, string fault);

    [LoggerMessage(1144, LogLevel.Warning, "Node {Name} passes over a port of the membership: {Reason}")]
    public static partial void PortPassedOver(ILogger logger, string name, string reason);

    [LoggerMessage(
        1156,
        LogLevel.Debug,
        "{Remote} connected to the membership server here and sent nothing, as checks of health do, {Count} so far")]
    public static partial void Probed(ILogger logger, string remote, long count);

    [LoggerMessage(1155, LogLevel.Debug, "Node {Name} leaves a port of the membership to others: {Reason}")]
    public static partial void PortOfOthers(ILogger logger, string name, string reason);

    [LoggerMessage(1145, LogLevel.Error, "Security.Authorize threw, and the node was not let into the group")]
    public static partial void AuthorizeThrew(ILogger logger, Exception thrown);

    [LoggerMessage(1130, LogLevel.Warning, "Node {Name} waits for its network interface: {Reason}")]
    public static partial void InterfaceAwaited(ILogger logger, string name, string reason);

    [LoggerMessage(
        1131,
        LogLevel.Warning,
        "Node {Name} is at {Own} and shares groups with {Other}, in another network: multicast may not pass "
        + "between the two. Nodes of one network need Transport.Interface to name that network")]
    public static partial void OtherNetwork(ILogger logger, string name, string other, string own);

    [LoggerMessage(
        1157,
        LogLevel.Warning,
        "Node {Name} stops to serve the membership: the server at {Place} has {Nodes} nodes of the same cluster name. "
        + "The nodes here go there, under new ids")]
    public static partial void ClusterMerges(ILogger logger, string name, string place, int nodes);

    [LoggerMessage(
        1132,
        LogLevel.Error,
        "Node {Name} serves the membership, and so does the host at {Place}, with {Nodes} nodes: two clusters of "
        + "one name exist independently. Stop one of the two hosts: its clients join the other")]
    public static partial void TwoHosts(ILogger logger, string name, string place, int nodes);

    [LoggerMessage(
        1133,
        LogLevel.Warning,
        "The address of node {Name} has changed from {Before} to {After}: it continues there as a new incarnation")]
    public static partial void AddressChanged(ILogger logger, string name, string before, string after);

    [LoggerMessage(
        1148,
        LogLevel.Error,
        "Node {Name} cannot say how it is, and monitors see it as silent: a defect of QuickSilver, please report it")]
    public static partial void SnapshotFailed(ILogger logger, string name, Exception exception);

    [LoggerMessage(
        1150,
        LogLevel.Warning,
        "Node {Name} has dropped {Count} datagrams from other addresses than their sender's, the last a {Kind} of "
        + "'{Sender}' from {Source}. Another host sends in its name, or the network between the members changes "
        + "addresses (Transport.CheckSources)")]
    public static partial void DatagramsForged(
        ILogger logger, string name, ulong count, string kind, string sender, string source);

    [LoggerMessage(
        1151,
        LogLevel.Warning,
        "Node {Name} has dropped {Count} datagrams that no member of their views has sealed: forged, damaged on the "
        + "way, or from a process that is not in this cluster any more")]
    public static partial void DatagramsUnsealed(ILogger logger, string name, ulong count);

    [LoggerMessage(
        1201,
        LogLevel.Warning,
        "The kernel granted {Granted} bytes of receive buffer instead of {Asked}: bursts will be lost and "
        + "repaired. {Remedy}")]
    public static partial void ReceiveBufferSmall(ILogger logger, int granted, int asked, string remedy);

    [LoggerMessage(1202, LogLevel.Information, "The {Socket} socket sends one datagram per call: {Error}")]
    public static partial void SegmentationRefused(ILogger logger, string socket, string error);

    [LoggerMessage(1203, LogLevel.Information, "Each read returns one datagram: {Error}")]
    public static partial void CoalescingRefused(ILogger logger, string error);

    [LoggerMessage(1204, LogLevel.Information, "Regions use unicast: {Reason}")]
    public static partial void UnicastChosen(ILogger logger, string reason);

    [LoggerMessage(1205, LogLevel.Warning, "The multicast address {Address} cannot be opened: {Error}")]
    public static partial void OpenFailed(ILogger logger, string address, string error);

    [LoggerMessage(
        1207,
        LogLevel.Warning,
        "The process may open {Allowed} files (RLIMIT_NOFILE), and a node may need {Needed}: regions without a socket "
        + "of their own are reached by unicast. Raise ulimit -n")]
    public static partial void FilesShort(ILogger logger, long allowed, int needed);

    [LoggerMessage(
        1208,
        LogLevel.Warning,
        "Node {Name}: the kernel refused to send datagrams on the socket {Socket}: {Error}. They count as lost, and "
        + "are repaired where that is possible. Further ones are counted (SendErrors)")]
    public static partial void SendFailed(ILogger logger, string name, string socket, string error);

    [LoggerMessage(1206, LogLevel.Information, "No memory is shared with other nodes of this machine: {Reason}")]
    public static partial void SharedMemoryRefused(ILogger logger, string reason);

    [LoggerMessage(
        1220,
        LogLevel.Warning,
        "Datagrams of {Name} longer than {Longest} bytes do not reach {Member}: from now on the regions of that "
        + "member get shorter ones, and longer ones packed before are repaired in parts. Look for a smaller MTU on "
        + "the path between the two")]
    public static partial void PathNarrowed(ILogger logger, string name, int longest, string member);

    [LoggerMessage(1221, LogLevel.Information, "Datagrams of {Name} of any length reach {Member} again")]
    public static partial void PathWidened(ILogger logger, string name, string member);

    [LoggerMessage(
        1222,
        LogLevel.Warning,
        "Datagrams of {Sender} longer than {Longest} bytes do not arrive at {Name}, and it sends up to {Full}: it "
        + "is asked for shorter ones. Look for a smaller MTU on the path between the two")]
    public static partial void InboundPathNarrow(ILogger logger, string name, string sender, int longest, int full);

    [LoggerMessage(1223, LogLevel.Information, "Datagrams of {Sender} of any length arrive at {Name} again")]
    public static partial void InboundPathWide(ILogger logger, string name, string sender);

    [LoggerMessage(
        1224,
        LogLevel.Warning,
        "No packet of {Name} reaches {Member}, of any length, though control does: one of the two is removed if "
        + "that lasts. Look for a firewall that drops the data port, or long datagrams, on the path between the two")]
    public static partial void PathBlocked(ILogger logger, string name, string member);

    [LoggerMessage(
        1225,
        LogLevel.Warning,
        "No packet of {Sender} arrives at {Name}, of any length, though control does: one of the two is removed "
        + "if that lasts. Look for a firewall that drops the data port, or long datagrams, on the path between the "
        + "two")]
    public static partial void InboundPathBlocked(ILogger logger, string name, string sender);

    [LoggerMessage(
        1301,
        LogLevel.Warning,
        "Messages of {Sender} in {Group} are lost: {Count} from number {First} ({Reason})")]
    public static partial void MessagesLost(
        ILogger logger, string sender, string group, ulong count, ulong first, LossReason reason);

    [LoggerMessage(1310, LogLevel.Warning, "Node {Name}: messages sent are held up by {Members}")]
    public static partial void RegionsHeldUp(ILogger logger, string name, string members);

    [LoggerMessage(1311, LogLevel.Information, "Node {Name}: messages are no longer held up by {Members}")]
    public static partial void CaughtUp(ILogger logger, string name, string members);

    [LoggerMessage(
        1312,
        LogLevel.Warning,
        "Node {Name}: {Member} was removed from the cluster, because it held senders at their limit for longer than "
        + "they wait (Pending.SlowMemberTimeout). Others kept up. The log of that node names the cause")]
    public static partial void MemberShed(ILogger logger, string name, string member);

    [LoggerMessage(
        1334,
        LogLevel.Error,
        "Node {Name}: sends stand at their limit, and nobody can remove the members that they wait for: {Reason}. "
        + "They wait for {Awaited}. Calls end after Pending.NoServerTimeout; what was accepted goes on when there is a "
        + "server that can")]
    public static partial void SendsHeldUp(ILogger logger, string name, string reason, string awaited);

    [LoggerMessage(
        1335, LogLevel.Information, "Node {Name}: sends go on after {Time}; {Ended} calls have ended meanwhile")]
    public static partial void SendsResumed(ILogger logger, string name, TimeSpan time, long ended);

    [LoggerMessage(
        1136, LogLevel.Information, "Node {Name}: the membership servers of its options are now {Servers}")]
    public static partial void ServersChanged(ILogger logger, string name, string servers);

    [LoggerMessage(
        1137,
        LogLevel.Warning,
        "Node {Name}: the {Call} has not ended within Membership.JoinTimeout ({JoinTimeout}): {Trouble} It goes on, "
        + "because this process serves the membership to {Others} other nodes")]
    public static partial void OwnCallLate(
        ILogger logger, string name, string call, TimeSpan joinTimeout, string trouble, int others);

    [LoggerMessage(1138, LogLevel.Warning, "Node {Name}: servers are not found by {Source}: {Reason}")]
    public static partial void DiscoveryFailed(ILogger logger, string name, string source, string reason);

    [LoggerMessage(
        1139,
        LogLevel.Warning,
        "Node {Name} ignored an announcement of a server of this cluster's name from {Remote}: {Reason}, "
        + "{Count} so far")]
    public static partial void AnnouncementRefused(
        ILogger logger, string name, string remote, string reason, long count);

    [LoggerMessage(
        1401,
        LogLevel.Error,
        "The inbox of {Group} is full: {Backlog} messages were unread, {Leased} bytes in leases; the handle leaves "
        + "the group")]
    public static partial void SlowConsumer(ILogger logger, string group, long backlog, long leased);

    [LoggerMessage(
        1402,
        LogLevel.Warning,
        "The inbox of {Group} is full and drops messages ({Reason}): its reader is slow or missing; the node's "
        + "statistics count them")]
    public static partial void InboxDrops(ILogger logger, string group, LossReason reason);

    [LoggerMessage(
        1501,
        LogLevel.Error,
        "A handler of {Group} threw, policy {Policy}; on this node {Count} calls have thrown so far")]
    public static partial void HandlerFailed(
        ILogger logger, string group, long count, HandlerErrorPolicy policy, Exception fault);

    [LoggerMessage(1502, LogLevel.Error, "A handler of the node's events threw on {Event}")]
    public static partial void EventHandlerFailed(ILogger logger, string @event, Exception fault);

    [LoggerMessage(1503, LogLevel.Error, "The application's metering code (a meter factory, a meter listener) threw")]
    public static partial void MeteringFailed(ILogger logger, Exception fault);

    [LoggerMessage(
        1115,
        LogLevel.Warning,
        "Node {Node} waits for {Count} nodes in group {Group}, and there are {Present}. Nodes meet that have in "
        + "common: {Place}")]
    public static partial void MembersAwaited(
        ILogger logger, string node, int count, string group, int present, string place);
}
