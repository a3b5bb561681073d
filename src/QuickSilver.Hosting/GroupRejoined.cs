namespace QuickSilver.Hosting;

/// <summary>A group was joined again.</summary>
/// <param name="GroupName">Name of the group.</param>
/// <param name="Reason">Why the handle before it had ended: a <see cref="NodeEvictedException"/> or a
/// <see cref="SlowConsumerException"/>.</param>
/// <param name="View">The view that the new handle has begun with.</param>
/// <param name="Away">How long the group had no handle. What others sent meanwhile is missed.</param>
public sealed record GroupRejoined(string GroupName, QuickSilverException Reason, GroupView View, TimeSpan Away);
