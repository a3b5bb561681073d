using System.Net;
using QuickSilver.Membership;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Tests.Membership;

/// <summary>Starts a membership host on a free port, and keeps what it had to tell.</summary>
internal sealed class TestHost : IMembershipHostEvents
{
    public List<MembershipRefusal> Refused { get; } = [];

    public List<FrameEnd> Dropped { get; } = [];

    public List<Exception> Faults { get; } = [];

    public static MembershipHostSettings Settings { get; } = new()
    {
        EndPoint = new IPEndPoint(IPAddress.Loopback, 0),
        ServesAllClusters = true,
        Server = new MembershipServerSettings(),
    };

    public MembershipHost Start(MembershipHostSettings? settings = null)
    {
        MembershipHost? host = MembershipHost.TryStart(settings ?? Settings, this, out string refusal);
        Assert.True(host is not null, refusal);
        return host;
    }

    public void OnRefused(string remote, MembershipRefusal reason, long count) => Add(Refused, reason);

    public void OnDropped(string remote, FrameEnd end, long count) => Add(Dropped, end);

    public List<string> Unauthenticated { get; } = [];

    public void OnUnauthenticated(string remote, string reason, long count) => Add(Unauthenticated, reason);

    public void OnAuthorizeThrew(Exception thrown) => Add(Faults, thrown);

    public void OnHold(string clusterName, MembershipHold hold)
    {
    }

    public List<string> Rivals { get; } = [];

    public void OnRival(string place, int nodes) => Add(Rivals, place);

    public void OnHostFailed(Exception fault) => Add(Faults, fault);

    private static void Add<T>(List<T> list, T item)
    {
        lock (list) list.Add(item);
    }
}
