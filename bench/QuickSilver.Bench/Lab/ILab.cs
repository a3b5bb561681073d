using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Lab;

/// <summary>Where the processes of one run are. Members are numbered from 0: the sender, the receivers, and after them
/// a broker or host.</summary>
internal interface ILab : IDisposable
{
    /// <summary>Whether members have machines of their own, as far as addresses go.</summary>
    bool HasMachines { get; }

    /// <summary>Messages between two echoes by which latency is measured; 0: all members have one clock.</summary>
    int EchoEvery(double rate);

    /// <summary>A member's address.</summary>
    string AddressOf(int member);

    /// <summary>A TCP or UDP port: as wanted where the run is by itself, else one that is free now, the same for every
    /// call.</summary>
    int PortOf(int wanted);

    /// <summary>How a process is started at a member's place.</summary>
    /// <param name="member">Its number.</param>
    /// <param name="launch">What else is known.</param>
    RoleLaunch LaunchAt(int member, RoleLaunch launch);

    /// <summary>
    /// Bytes that all members have sent so far, frame heads included. A train that is not cut before it leaves counts
    /// as one packet with one head.
    /// </summary>
    Task<long> SentBytesAsync();
}
