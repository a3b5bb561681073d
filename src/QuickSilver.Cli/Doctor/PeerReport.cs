namespace QuickSilver.Cli.Doctor;

/// <summary>Another node that took part in the exchange.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Id">Its id.</param>
/// <param name="Messages">The messages that arrived from it.</param>
/// <param name="ClockLead">How far its clock is ahead of this machine's, and the shortest way of a message, together;
/// null if no message arrived.</param>
internal sealed record PeerReport(string Name, MemberId Id, long Messages, TimeSpan? ClockLead);
