using System.Globalization;
using k8s.Models;

namespace QuickSilver.Membership.Kubernetes;

/// <summary>
/// What a Lease says of an election. The term is an annotation of its own: the number of transitions begins again with
/// a Lease that was deleted, and the lowest term of a campaign would not fit it.
/// <code>
/// spec.holderIdentity        the campaign of the holder; empty: nobody serves
/// spec.leaseDurationSeconds  how long others wait without a change of the Lease
/// quicksilver/cluster        the name of the cluster
/// quicksilver/term           the term of the last campaign that won
/// quicksilver/endpoint       where its server is
/// quicksilver/node           its node
/// </code>
/// </summary>
internal sealed class LeaseRecord
{
    /// <summary>The last term that a lease may have: <see cref="IMembershipLease.Term"/>.</summary>
    public const long LastTerm = 16_777_215;

    private const string ClusterKey = "quicksilver/cluster";
    private const string TermKey = "quicksilver/term";
    private const string EndPointKey = "quicksilver/endpoint";
    private const string NodeKey = "quicksilver/node";
    private static readonly TimeSpan LongestDuration = TimeSpan.FromHours(1);

    private readonly V1Lease _lease;

    private LeaseRecord(V1Lease lease, long term)
    {
        _lease = lease;
        Term = term;
    }

    /// <summary>The last term.</summary>
    public long Term { get; }

    /// <summary>The campaign that holds the lease; empty for none.</summary>
    public string Holder => _lease.Spec?.HolderIdentity ?? "";

    /// <summary>Where the server is.</summary>
    public string EndPoint => Annotation(EndPointKey);

    /// <summary>Changes with each change of the Lease.</summary>
    public string Version => $"{_lease.Metadata.Uid}/{_lease.Metadata.ResourceVersion}";

    /// <summary>How long the holder may be silent.</summary>
    public TimeSpan Duration
    {
        get
        {
            var written = TimeSpan.FromSeconds(_lease.Spec?.LeaseDurationSeconds ?? 0);
            return written > LongestDuration ? LongestDuration : written;
        }
    }

    /// <summary>Reads a Lease.</summary>
    /// <exception cref="InvalidDataException">No election of the cluster wrote it; the message says what to
    /// do.</exception>
    public static LeaseRecord Read(V1Lease lease, string cluster)
    {
        string name = lease.Metadata.Name;
        string owner = Annotation(lease, ClusterKey);
        if (owner.Length > 0 && owner != cluster)
            throw new InvalidDataException(
                $"the Lease '{name}' belongs to the cluster '{owner}': set LeaseName to another");
        string holder = lease.Spec?.HolderIdentity ?? "";
        string text = Annotation(lease, TermKey);
        bool isNumber = long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long term);
        if ((text.Length > 0 || holder.Length > 0) && !(isNumber && term is >= 1 and <= LastTerm))
            throw new InvalidDataException(
                $"the Lease '{name}' has no valid annotation {TermKey}, so no election wrote it: delete it");
        if (holder.Length > 0 && (Annotation(lease, EndPointKey).Length == 0
            || lease.Spec?.LeaseDurationSeconds is not >= 1))
            throw new InvalidDataException($"the Lease '{name}' does not say who serves: delete it");
        return new LeaseRecord(lease, term);
    }

    /// <summary>The term of the next campaign.</summary>
    /// <param name="before">The Lease; null if there is none.</param>
    /// <param name="name">Its name.</param>
    /// <param name="lowest">The lowest that will do.</param>
    /// <exception cref="InvalidDataException">There is no further term.</exception>
    public static long NextTerm(LeaseRecord? before, string name, long lowest)
    {
        long next = Math.Max((before?.Term ?? 0) + 1, lowest);
        return next <= LastTerm
            ? next
            : throw new InvalidDataException(
                $"the Lease '{name}' has the term {before?.Term ?? 0}, the lowest term allowed is {lowest}, "
                + $"and {LastTerm} is the last there is");
    }

    /// <summary>The Lease of a campaign that wins.</summary>
    /// <param name="before">The Lease; null if there is none.</param>
    /// <param name="name">Its name.</param>
    /// <param name="candidate">Who campaigns.</param>
    /// <param name="holder">The campaign.</param>
    /// <param name="term">Its term.</param>
    /// <param name="duration">How long others wait for renewals.</param>
    /// <param name="now">The time of this machine, for operators who look.</param>
    public static V1Lease Take(
        LeaseRecord? before, string name, MembershipCandidate candidate, string holder, long term, TimeSpan duration,
        DateTime now)
    {
        V1Lease lease = before?._lease ?? new V1Lease { Metadata = new V1ObjectMeta { Name = name } };
        lease.Metadata.Annotations ??= new Dictionary<string, string>();
        lease.Metadata.Annotations[ClusterKey] = candidate.Cluster;
        lease.Metadata.Annotations[TermKey] = term.ToString(CultureInfo.InvariantCulture);
        lease.Metadata.Annotations[EndPointKey] = candidate.EndPoint;
        lease.Metadata.Annotations[NodeKey] = candidate.Node;
        lease.Spec = new V1LeaseSpec
        {
            HolderIdentity = holder,
            LeaseDurationSeconds = (int)Math.Ceiling(duration.TotalSeconds),
            AcquireTime = now,
            RenewTime = now,
            LeaseTransitions = before is null ? 0 : Next(before._lease.Spec?.LeaseTransitions),
        };
        return lease;
    }

    /// <summary>The Lease with another time of renewal.</summary>
    public V1Lease Renewed(DateTime now)
    {
        _lease.Spec.RenewTime = now;
        return _lease;
    }

    /// <summary>The Lease without a holder; the term stays.</summary>
    public V1Lease GivenUp(DateTime now)
    {
        _lease.Spec.HolderIdentity = "";
        _lease.Spec.RenewTime = now;
        return _lease;
    }

    private static int Next(int? transitions) => transitions is >= 0 and < int.MaxValue ? transitions.Value + 1 : 1;

    private string Annotation(string key) => Annotation(_lease, key);

    private static string Annotation(V1Lease lease, string key) =>
        lease.Metadata.Annotations is { } all && all.TryGetValue(key, out string? value) ? value ?? "" : "";
}
