using System.Net;
using QuickSilver.Membership;
using QuickSilver.Membership.Discovery;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using QuickSilver.Security;
using QuickSilver.Transport;

namespace QuickSilver.Diagnostics;

/// <summary>Converts reports of a node's rooms into log records and descriptions for error texts. Any thread; does not
/// block.</summary>
/// <param name="log">The node's log.</param>
internal sealed class NodeReporter(NodeLog log)
    : ITransportEvents, ILinkEvents, IMembershipHostEvents, IDiscoveryEvents
{
    private readonly HashSet<string> _sendErrors = [];
    private volatile string? _lastTrouble; // null: none was met
    private volatile string _seeking = "the search has not begun";
    private volatile bool _isMisfit;
    private volatile bool _wasReached;
    private readonly TaskCompletionSource<string> _untrusted =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The last problem in reaching a membership server, for the text of an exception; empty if there was
    /// none.</summary>
    public string LastTrouble => _lastTrouble ?? _seeking;

    /// <summary>True if a server was reached but does not answer, and no worse problem has occurred since.</summary>
    public bool IsServerSilent =>
        (_wasReached && _lastTrouble is { Length: 0 })
        || _lastTrouble?.Contains(MembershipConnector.AcceptedOnly, StringComparison.Ordinal) == true;

    /// <summary>Describes the search for a membership server before the node is admitted, for the text of an
    /// exception.</summary>
    public string DescribeSearch() =>
        _lastTrouble is { Length: > 0 } trouble
            ? trouble
            : _wasReached ? "one was reached, and does not answer" : _seeking;

    /// <inheritdoc/>
    public void OnReceiveBufferSmall(int askedBytes, int grantedBytes, string remedy) =>
        log.Post(
            (askedBytes, grantedBytes, remedy),
            static (logger, s) => Log.ReceiveBufferSmall(logger, s.grantedBytes, s.askedBytes, s.remedy));

    /// <inheritdoc/>
    public void OnFilesShort(long allowed, int needed) =>
        log.Post((allowed, needed), static (logger, s) => Log.FilesShort(logger, s.allowed, s.needed));

    /// <inheritdoc/>
    public void OnSegmentationRefused(string socket, string error) =>
        log.Post((socket, error), static (logger, s) => Log.SegmentationRefused(logger, s.socket, s.error));

    /// <inheritdoc/>
    public void OnCoalescingRefused(string error) =>
        log.Post(error, static (logger, s) => Log.CoalescingRefused(logger, s));

    /// <inheritdoc/>
    public void OnSharedMemoryRefused(string reason) =>
        log.Post(reason, static (logger, s) => Log.SharedMemoryRefused(logger, s));

    /// <inheritdoc/>
    public void OnSendFailed(string socket, string error)
    {
        lock (_sendErrors)
        {
            if (!_sendErrors.Add(error)) return;
        }
        log.Post(
            (log.Node, socket, error), static (logger, s) => Log.SendFailed(logger, s.Node, s.socket, s.error));
    }

    /// <inheritdoc/>
    public void OnMulticastUnavailable(string reason) =>
        log.Post(reason, static (logger, s) => Log.UnicastChosen(logger, s));

    /// <inheritdoc/>
    public void OnOpenFailed(NetEndpoint group, string error) =>
        log.Post((group, error), static (logger, s) => Log.OpenFailed(logger, s.group.ToString(), s.error));

    /// <summary>Logs the longest datagram of this node that reaches a member, as the member reported it; 0: any
    /// length.</summary>
    public void OnPathTold(NodeInfo member, int longest) =>
        log.Post((log.Node, Member: Describe(member), longest), static (logger, s) =>
        {
            if (s.longest > 0) Log.PathNarrowed(logger, s.Node, s.longest, s.Member);
            else Log.PathWidened(logger, s.Node, s.Member);
        });

    /// <summary>Logs the longest datagram of another node that arrives here, as measured; 0: any length.</summary>
    public void OnPathFound(NodeInfo from, int longest, int full) =>
        log.Post((log.Node, From: Describe(from), longest, full), static (logger, s) =>
        {
            if (s.longest > 0) Log.InboundPathNarrow(logger, s.Node, s.From, s.longest, s.full);
            else Log.InboundPathWide(logger, s.Node, s.From);
        });

    /// <summary>Logs that no packet of any length passes from one node to another, though control does.</summary>
    public void OnPathBlocked(NodeInfo other, bool isInbound) =>
        log.Post((log.Node, Other: Describe(other), isInbound), static (logger, s) =>
        {
            if (s.isInbound) Log.InboundPathBlocked(logger, s.Node, s.Other);
            else Log.PathBlocked(logger, s.Node, s.Other);
        });

    /// <inheritdoc/>
    public void OnServing(string endpoint) =>
        log.Post(endpoint, static (logger, s) => Log.ServingMembership(logger, s));

    /// <inheritdoc/>
    public void OnSeeking(string what) => _seeking = what;

    /// <inheritdoc/>
    public void OnConnected(string server)
    {
        // A server with another protocol is connected to again and again. That problem matters more than the
        // connection.
        if (!_isMisfit) _lastTrouble = "";
        _wasReached = true;
        log.Post(server, static (logger, s) => Log.MembershipConnected(logger, s));
    }

    /// <inheritdoc/>
    public void OnLost(string server, FrameEnd end)
    {
        _isMisfit = IsMisfit(end);
        if (end != FrameEnd.Stopped) _lastTrouble = $"the connection to {server} ended: {Describe(end)}";
        if (end != FrameEnd.Stopped)
            log.Post(
                (log.Node, server, end),
                static (logger, s) => Log.MembershipLost(logger, s.Node, s.server, s.end.ToString()));
    }

    /// <summary>Records that the node itself stays away from its server.</summary>
    public void OnStayingAway(string reason) => _lastTrouble = reason;

    /// <inheritdoc/>
    public void OnUnreachable(string reason)
    {
        _isMisfit = false;
        _lastTrouble = reason;
        log.Post((log.Node, reason), static (logger, s) => Log.MembershipUnreachable(logger, s.Node, s.reason));
    }

    /// <summary>Completes with the reason when servers and this node do not trust each other.</summary>
    public Task<string> Untrusted => _untrusted.Task;

    /// <inheritdoc/>
    public void OnUntrusted(string reason) => _untrusted.TrySetResult(reason);

    /// <inheritdoc/>
    public void OnPassedOver(string reason, bool isUsual) =>
        log.Post((log.Node, reason, isUsual), static (logger, s) =>
        {
            if (s.isUsual) Log.PortOfOthers(logger, s.Node, s.reason);
            else Log.PortPassedOver(logger, s.Node, s.reason);
        });

    /// <summary>Logs what protects the node.</summary>
    /// <param name="plan">The protection.</param>
    /// <param name="ciphers">The ciphers that it offers for datagrams.</param>
    public void OnProtection(SecurityPlan plan, SealCiphers ciphers)
    {
        if (plan.IsOn)
            log.Post(
                (log.Node, plan.Mode, plan.Description, Ciphers: CipherChoice.Describe(ciphers)),
                static (logger, s) => Log.Secured(logger, s.Node, s.Mode.ToString(), s.Description, s.Ciphers));
        else if (plan.IsExposed) log.Post(log.Node, static (logger, s) => Log.Insecure(logger, s));
    }

    /// <summary>Logs that the node lacks the best cipher.</summary>
    public void OnLesserCipher(string fault, SealCipher cipher) =>
        log.Post(
            (log.Node, fault, Cipher: SealCiphers.NameOf(cipher)),
            static (logger, s) => Log.LesserCipher(logger, s.Node, s.fault, s.Cipher));

    /// <summary>Logs that a file with keys or certificates has changed and cannot be used.</summary>
    public void OnKeyUnreadable(string fault) =>
        log.Post((log.Node, fault), static (logger, s) => Log.KeyUnreadable(logger, s.Node, s.fault));

    /// <inheritdoc/>
    public void OnUnauthenticated(string remote, string reason, long count, bool isProbe) =>
        log.Post((remote, reason, count, isProbe), static (logger, s) =>
        {
            if (s.isProbe) Log.Probed(logger, s.remote, s.count);
            else Log.PeerRefused(logger, s.remote, s.reason, s.count);
        });

    /// <inheritdoc/>
    public void OnAuthorizeThrew(Exception thrown) =>
        log.Post(thrown, static (logger, s) => Log.AuthorizeThrew(logger, s));

    /// <inheritdoc/>
    public void OnRefused(string remote, MembershipRefusal reason, long count) =>
        log.Post(
            (remote, reason, count),
            static (logger, s) => Log.HostRefused(logger, s.remote, s.reason.ToString(), s.count));

    /// <inheritdoc/>
    public void OnDropped(string remote, FrameEnd end, long count) =>
        log.Post(
            (remote, end, count),
            static (logger, s) => Log.HostDropped(logger, s.remote, s.end.ToString(), s.count));

    /// <inheritdoc/>
    public void OnHold(string clusterName, MembershipHold hold)
    {
        if (hold.Reason == HoldReason.None) log.Post(clusterName, static (logger, s) => Log.HoldEnded(logger, s));
        else if (hold.Reason == HoldReason.Sight)
            log.Post(
                (clusterName, hold),
                static (logger, s) =>
                    Log.SightLost(logger, s.clusterName, s.hold.Missing, s.hold.Present, Names(s.hold)));
        else
            log.Post(
                (clusterName, hold),
                static (logger, s) =>
                    Log.MajorityAwaited(logger, s.clusterName, s.hold.Missing, s.hold.Present, Names(s.hold)));
    }

    /// <inheritdoc/>
    public void OnRival(string place, int nodes) =>
        log.Post((log.Node, place, nodes), static (logger, s) => Log.TwoHosts(logger, s.Node, s.place, s.nodes));

    /// <inheritdoc/>
    public void OnMerging(string place, int nodes) =>
        log.Post((log.Node, place, nodes), static (logger, s) => Log.ClusterMerges(logger, s.Node, s.place, s.nodes));

    /// <inheritdoc/>
    public void OnDiscoveryFailed(string source, string reason) =>
        log.Post(
            (log.Node, source, reason), static (logger, s) => Log.DiscoveryFailed(logger, s.Node, s.source, s.reason));

    /// <inheritdoc/>
    public void OnAnnouncementRefused(IPAddress remote, AnnouncementFault fault, long count) =>
        log.Post(
            (log.Node, remote, fault, count),
            static (logger, s) => Log.AnnouncementRefused(
                logger, s.Node, s.remote.ToString(), Describe(s.fault), s.count));

    /// <summary>Logs that the node waits for an interface, or for an address of this machine.</summary>
    public void OnInterfaceAwaited(string reason) =>
        log.Post((log.Node, reason), static (logger, s) => Log.InterfaceAwaited(logger, s.Node, s.reason));

    /// <summary>Logs that the node uses another address from now on.</summary>
    public void OnAddressChanged(string before, string after) =>
        log.Post(
            (log.Node, before, after),
            static (logger, s) => Log.AddressChanged(logger, s.Node, s.before, s.after));

    /// <summary>Logs that another node is in another network.</summary>
    public void OnOtherNetwork(string other, string own) =>
        log.Post((log.Node, other, own), static (logger, s) => Log.OtherNetwork(logger, s.Node, s.other, s.own));

    private static string Names(MembershipHold hold) =>
        string.Join(", ", hold.Names)
        + (hold.Missing > hold.Names.Count ? $" and {hold.Missing - hold.Names.Count} more" : "");

    /// <inheritdoc/>
    public void OnHostFailed(Exception fault) => log.Post(fault, static (logger, s) => Log.HostFailed(logger, s));

    /// <inheritdoc/>
    public void OnRenewalFailed(string reason) =>
        log.Post((log.Node, reason), static (logger, s) => Log.RenewalFailed(logger, s.Node, s.reason));

    /// <inheritdoc/>
    public void OnLeaseEnded() => log.Post(log.Node, static (logger, s) => Log.LeaseEnded(logger, s));

    private static string Describe(AnnouncementFault fault) => fault switch
    {
        AnnouncementFault.OtherKey => "it has another key than this node, or one of the two has none",
        AnnouncementFault.WrongProof => "its proof is wrong",
        AnnouncementFault.OtherAddress => "it has no proof, and came from another address than it offers",
        _ => $"{AnnouncementTable.MostSenders} others are known, {AnnouncementTable.MostOfAddress} of one address",
    };

    private static string Describe(NodeInfo node) => $"{QuotedName.Of(node.Name)} ({node.Number})";

    private static bool IsMisfit(FrameEnd end) =>
        end is FrameEnd.OversizeFrame or FrameEnd.EmptyFrame;

    private static string Describe(FrameEnd end) => end switch
    {
        _ when IsMisfit(end) => "the process there does not use QuickSilver's membership protocol",
        FrameEnd.Closed => "the other side closed it",
        FrameEnd.Broken => "it broke",
        FrameEnd.Reset => "the other side reset it",
        FrameEnd.HalfFrame => "the other side closed it in the middle of a frame",
        FrameEnd.Secured => "the process there demands security, and this node has Security.Mode None",
        FrameEnd.SlowConsumer => "the other side did not read what it was sent",
        FrameEnd.Silent => "nothing arrived on it for Membership.FailureTimeout",
        FrameEnd.Unauthenticated => "the two sides do not trust each other",
        _ => "this side closed it",
    };
}
