using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Peers;

/// <summary>A system to measure, in one configuration.</summary>
/// <param name="name">On the command line and in tables.</param>
/// <param name="promise">What it promises.</param>
internal abstract class Peer(string name, PeerPromise promise)
{
    /// <summary>Place of the sender in the lab; receivers follow, and after them a broker or host.</summary>
    protected const int SenderAt = 0;

    /// <summary>On the command line and in tables.</summary>
    public string Name => name;

    /// <summary>What it promises.</summary>
    public PeerPromise Promise => promise;

    /// <summary>Whether it has groups, topics or channels in one connection; without, it is measured with one
    /// only.</summary>
    public virtual bool HasGroups => false;

    /// <summary>Why it cannot be measured here; null when it can.</summary>
    public virtual string? WhyMissing(PeerBuild build) => null;

    /// <summary>Which version is measured.</summary>
    public virtual string Version(PeerBuild build) => Environment.Version.ToString();

    /// <summary>Starts its broker, if it has one.</summary>
    public virtual Broker? StartBroker(PeerSetting setting, NetworkLab lab, PeerBuild build) => null;

    /// <summary>The processes of a run.</summary>
    public IEnumerable<RoleStart> Starts(PeerSetting setting, ILab lab, PeerBuild build)
    {
        if (Host(setting, lab) is { } host) yield return At(lab, LastAt(setting), host, build);
        yield return At(lab, SenderAt, Sender(setting, lab), build);
        for (int number = 0; number < setting.Receivers; number++)
            yield return At(lab, number + 1, Receiver(setting, lab, number), build);
    }

    /// <summary>Place of a broker or host.</summary>
    protected static int LastAt(PeerSetting setting) => setting.Receivers + 1;

    /// <summary>A process that must be there first; null for none.</summary>
    protected virtual RoleOrder? Host(PeerSetting setting, ILab lab) => null;

    /// <summary>What the sender is told.</summary>
    protected abstract RoleOrder Sender(PeerSetting setting, ILab lab);

    /// <summary>What a receiver is told.</summary>
    protected abstract RoleOrder Receiver(PeerSetting setting, ILab lab, int number);

    /// <summary>How a process is started.</summary>
    protected virtual RoleLaunch Launch(RoleOrder order, PeerBuild build) => new();

    private RoleStart At(ILab lab, int member, RoleOrder order, PeerBuild build) =>
        new(order with { EchoEvery = lab.EchoEvery(order.Rate) }, lab.LaunchAt(member, Launch(order, build)));
}
