using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership;

/// <summary>What a membership server has to tell people. Called from inside its methods and alarms; must not call back.</summary>
public interface IMembershipServerEvents
{
    /// <summary>The server holds back (again every few seconds, as long as it does), or does so no more (<see cref="HoldReason.None"/>, once).</summary>
    void OnHold(string clusterName, MembershipHold hold, Instant now);
}
