using System.Net;
using QuickSilver.Membership;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Membership;

/// <summary>
/// Starts a membership host on a free port, and keeps what it had to tell. A host counts first and tells last, on
/// threads of its own: who waited for a counter has not waited for what is told. Each property is a copy.
/// </summary>
internal sealed class TestHost : IMembershipHostEvents
{
    private readonly Lock _lock = new();
    private readonly List<MembershipRefusal> _refused = [];
    private readonly List<FrameEnd> _dropped = [];
    private readonly List<string> _unauthenticated = [];
    private readonly List<string> _rivals = [];
    private readonly List<Exception> _faults = [];
    private int _probes;

    public IReadOnlyList<MembershipRefusal> Refused => Copy(_refused);

    public IReadOnlyList<FrameEnd> Dropped => Copy(_dropped);

    public IReadOnlyList<string> Unauthenticated => Copy(_unauthenticated);

    /// <summary>How many checks were told that sent nothing.</summary>
    public int Probes => Volatile.Read(ref _probes);

    public IReadOnlyList<string> Rivals => Copy(_rivals);

    public IReadOnlyList<Exception> Faults => Copy(_faults);

    /// <summary>Settings for a free port. However slow the machine is, nobody is cut off for a late first frame, and no
    /// node is removed for its silence.</summary>
    public static MembershipHostSettings Settings { get; } = new()
    {
        EndPoint = new IPEndPoint(IPAddress.Loopback, 0),
        Server = new MembershipServerSettings
        {
            ClusterName = "test",
            FailureTimeout = NodeRig.Patience,
            FoundingGrace = ReconnectPace.LoopbackFoundingGrace,
        },
        HelloTime = NodeRig.Patience,
        LoopbackHelloTime = NodeRig.Patience,
    };

    public MembershipHost Start(MembershipHostSettings? settings = null)
    {
        MembershipHost? host = MembershipHost.TryStart(settings ?? Settings, this, out string refusal);
        Assert.True(host is not null, refusal);
        return host;
    }

    public void OnRenewalFailed(string reason)
    {
    }

    public void OnLeaseEnded()
    {
    }

    public void OnRefused(string remote, MembershipRefusal reason, long count) => Add(_refused, reason);

    public void OnDropped(string remote, FrameEnd end, long count) => Add(_dropped, end);

    public void OnUnauthenticated(string remote, string reason, long count, bool isProbe)
    {
        if (isProbe) Interlocked.Increment(ref _probes);
        else Add(_unauthenticated, reason);
    }

    public void OnAuthorizeThrew(Exception thrown) => Add(_faults, thrown);

    public void OnHold(string clusterName, MembershipHold hold)
    {
    }

    public void OnRival(string place, int nodes) => Add(_rivals, place);

    public void OnMerging(string place, int nodes) => throw new InvalidOperationException("there is none");

    public void OnHostFailed(Exception fault) => Add(_faults, fault);

    private void Add<T>(List<T> list, T item)
    {
        lock (_lock) list.Add(item);
    }

    private T[] Copy<T>(List<T> list)
    {
        lock (_lock) return [.. list];
    }
}
