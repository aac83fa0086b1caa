"""Answers that refuse in words, of which the provider says nothing.

Needs the standard library alone, since exports carry it to interpreters without this package. A
statement that the answer is unknown ("I cannot determine the order") is not a refusal.
"""

import re

_SORRY = r"sorry|apologi[sz]e|apologies|regret|unfortunately|afraid|as an ai"
_CANNOT = r"can't|can ?not|could not|couldn't|unable|not able|won't|will not|not going to"
_DOES = (
    r"(?:assist|help|comply|provide|fulfil|answer|respond|process|analy[sz]e|engage|discuss|continue"
    r"|do (?:that|this|so)|share|support|participate"
    r"|(?:view|see|look at|open|access|identify) (?:(?:the|any|these|those|this|that|your|actual)"
    r" )*(?:image|picture|photo|frame|visual|people|person|individual|anyone|content))"
)
_CANNOT_DO = rf"(?:{_CANNOT})(?: (?:and|or) (?:{_CANNOT}))?(?: be able)?(?: to)? {_DOES}"
_DECLINES = re.compile(
    rf"(?:{_SORRY})\b.{{0,120}}?(?:\b(?:i|we)\b(?:'m| am| are)?(?: simply| really)? (?:{_CANNOT})"
    rf"|{_CANNOT_DO}|not possible for (?:me|us))"
    rf"|\b(?:i|we)(?:'m| am| are)?(?: programmed .{{0,60}}?)? {_CANNOT_DO}"
    rf"|\A\W*(?:unable|not able) to {_DOES}"
    r"|\b(?:i|we)(?:'d| would|'ll| will)?(?: (?:must|have to|need to))?"
    r"(?: (?:respectfully|politely|kindly))? (?:decline|refuse|rather not)\b"
    r"|\b(?:i|we)(?:'m| am| are| do|)(?: ?not|n't|n\u2019t)(?: feel)? comfortable"
    r"|\b(?:i|we) (?:do not|don't) have the (?:ability|capability) to (?:see|view|process|analy)"
    r"|(?:guidelines|polic(?:y|ies)|programming) (?:prevents?|prohibits?|(?:do|does) not allow)"
    r"|(?:against|violates?) (?:my|our|the) (?:[a-z]+ )?(?:guidelines|polic(?:y|ies)|programming)"
    r"|not be appropriate for me"
    # Other languages, most of them an apology and then that it is impossible.
    r"|(?:tut mir leid|leider|entschuldigung).{0,80}?\b(?:kann|können)\b.{0,60}?\bnicht\b"
    r"|\bich kann\b.{0,60}?\bnicht (?:weiter)?(?:helfen|antworten|beantworten)"
    r"|désolée?.{0,80}?ne (?:peux|puis|suis pas)"
    r"|je ne (?:peux|puis) pas (?:vous )?(?:aider|répondre)"
    r"|(?:lo siento|lamento).{0,80}?\bno (?:puedo|me es posible)|\bno puedo (?:ayudar|responder)"
    r"|(?:mi dispiace|spiacente).{0,80}?\bnon (?:posso|riesco|sono in grado)"
    r"|(?:desculpe|sinto muito|lamento).{0,80}?\bnão (?:posso|consigo)"
    r"|(?:извините|простите|к сожалению|сожалею).{0,80}?\bне (?:могу|можем)"  # noqa: RUF001 - Russian
    r"|(?:抱歉|对不起|很遗憾|對不起).{0,60}?(?:无法|不能|没法|無法)"
    r"|我(?:无法|不能|無法)(?:提供|回答|协助|帮助|处理|查看)"
    r"|(?:申し訳|すみません|ごめんなさい).{0,60}?(?:できません|できかねます|いたしかねます)"
    r"|(?:죄송|미안).{0,60}?(?:없습니다|없어요)",
    re.IGNORECASE | re.DOTALL,
)
_WITHIN = 400
"""Characters at the beginning in which a refusal is looked for."""


def refuses_in_words(said: str) -> bool:
    """Whether the beginning of ``said``, an answer without its thoughts, refuses to answer."""
    return _DECLINES.search(said[:_WITHIN].replace("\u2019", "'")) is not None
