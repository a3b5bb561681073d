namespace QuickSilver.Testing.Membership;

/// <summary>The hosts of a simulation that elect one of them to serve.</summary>
internal interface ISimulatedHosts : IMembershipDoor
{
    /// <summary>The hosts' servers.</summary>
    IEnumerable<SimulatedMembership> Servers { get; }

    /// <summary>A host dies, or starts again.</summary>
    /// <param name="host">Its index, modulo their number.</param>
    /// <param name="dies">True when it dies.</param>
    /// <param name="isOrderly">True when it gives its lease up after its server has stopped.</param>
    void End(int host, bool dies, bool isOrderly);

    /// <summary>A host stands still; whatever it is asked or answered meanwhile comes later.</summary>
    void Freeze(int host, TimeSpan time, TimeSpan readLag);

    /// <summary>Nothing passes between a host and those that elect it for a while.</summary>
    void CutOff(int host, TimeSpan time);

    /// <summary>Nothing passes from some hosts to the others for a while.</summary>
    /// <param name="hosts">A bit for each of them.</param>
    /// <param name="time">How long.</param>
    /// <param name="isOneWay">True when the others reach them.</param>
    void Cut(int hosts, TimeSpan time, bool isOneWay);

    /// <summary>Nobody is answered for a while.</summary>
    void Silence(TimeSpan time);

    /// <summary>Requests and answers take longer for a while.</summary>
    void Slow(TimeSpan time, TimeSpan delay);

    /// <summary>Ends all hosts.</summary>
    void Stop();
}
