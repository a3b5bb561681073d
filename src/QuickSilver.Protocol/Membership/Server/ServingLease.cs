using System.Diagnostics;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The time in which an elected server may serve, by its own clock. A lease lasts from the call that asked for it, not
/// from the answer, and ends here a part earlier than at the store: clocks go at different paces. A lease that has
/// ended once has ended for good, whatever the store answers later. Core thread only.
/// </summary>
internal sealed class ServingLease
{
    /// <summary>Number of terms that belong to each term of an election: a server that gives up its young cluster for
    /// an older one begins another term.</summary>
    public const uint TermsOfEach = 256;

    /// <summary>The highest term of an election.</summary>
    public const long LastTerm = (uint.MaxValue / TermsOfEach) - 1;

    private const int DriftPart = 16;

    private readonly TimeSpan _usable;

    /// <summary>Begins a lease.</summary>
    /// <param name="term">Its term in the election.</param>
    /// <param name="duration">How long the store grants it, from each call.</param>
    /// <param name="asked">The instant before the call that got it.</param>
    public ServingLease(long term, TimeSpan duration, Instant asked)
    {
        Debug.Assert(term is > 0 and <= LastTerm, "the host has judged the term that it was granted");
        Debug.Assert(duration > TimeSpan.Zero, "the host has judged the time that it was granted");
        Term = (uint)term * TermsOfEach;
        _usable = duration - (duration / DriftPart);
        End = asked + _usable;
    }

    /// <summary>The first term of the epochs of its server.</summary>
    public uint Term { get; }

    /// <summary>The instance of the electorate that has granted it; 0: a store has.</summary>
    public ulong Electorate { get; init; }

    /// <summary>The instant at which the server stops.</summary>
    public Instant End { get; private set; }

    /// <summary>True while nobody else can have the lease.</summary>
    public bool IsValid(Instant now) => now < End;

    /// <summary>The store has renewed the lease.</summary>
    /// <param name="asked">The instant before the call.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>False when it had ended here.</returns>
    public bool TryRenew(Instant asked, Instant now)
    {
        if (!IsValid(now)) return false;
        if (asked + _usable > End) End = asked + _usable;
        return true;
    }

    /// <summary>The store has said that the lease is another's, or the server stops.</summary>
    public void Lose() => End = Instant.Zero;
}
