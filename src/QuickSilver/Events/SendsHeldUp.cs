namespace QuickSilver;

/// <summary>Sends of this node have stood at a limit of <see cref="PendingOptions"/> for some seconds, while nobody can
/// remove the members that they wait for. Raised once; <see cref="SendsResumed"/> follows. Calls end after
/// <see cref="PendingOptions.NoServerTimeout"/> with a <see cref="SendHeldUpException"/>.</summary>
/// <param name="Members">The members that are waited for, as <see cref="SendHeldUpException.Members"/>.</param>
/// <param name="Reason">Readable reason why nobody can remove them.</param>
public sealed record SendsHeldUp(IReadOnlyList<Member> Members, string Reason) : NodeEvent;
