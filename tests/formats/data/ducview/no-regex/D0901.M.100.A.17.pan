<?xml version="1.0"?>
<!DOCTYPE peerAnnotation [
 <!ELEMENT peerAnnotation (pyramid,annotation)>
 <!ELEMENT annotation (text,peerscu+)>
 <!ELEMENT peerscu (contributor)*>
 <!ATTLIST peerscu uid CDATA #REQUIRED
                   label CDATA #REQUIRED
                   comment CDATA #IMPLIED>
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ELEMENT startDocumentRegEx (#PCDATA)>
 <!ELEMENT text (line*)>
 <!ELEMENT line (#PCDATA)>
 <!ELEMENT scu (contributor)+>
 <!ATTLIST scu uid CDATA #REQUIRED
               label CDATA #REQUIRED
               comment CDATA #IMPLIED>
 <!ELEMENT contributor (part)+>
 <!ATTLIST contributor label CDATA #REQUIRED
                       comment CDATA #IMPLIED>
 <!ELEMENT part EMPTY>
 <!ATTLIST part label CDATA #REQUIRED
                start CDATA #REQUIRED
                end   CDATA #REQUIRED>

]>

<peerAnnotation>
<pyramid>
 <text>
  <line>----------------</line>
  <line> D0901.M.100.A.B</line>
  <line>----------------</line>
  <line></line>
  <line>The ferry Kestrel ran aground off Skellö on Sunday night.</line>
  <line>All 84 passengers were rescued.</line>
  <line>The captain, Åke Lindé, had slept.</line>
  <line></line>
  <line>----------------</line>
  <line> D0901.M.100.A.C</line>
  <line>----------------</line>
  <line></line>
  <line>A ferry hit rocks near Skellö.</line>
  <line>Nobody was hurt, and 84 people were taken off by helicopter.</line>
  <line>Fog was thick.</line>
  <line></line>
  <line>----------------</line>
  <line> D0901.M.100.A.D</line>
  <line>----------------</line>
  <line></line>
  <line>Eighty-four people were saved when the Kestrel struck a reef in fog off Skellö.</line>
  <line>The mate said &quot;no one&quot; was at the wheel; the owner, AT&amp;T Lines, denies it.</line>
  <line></line>
 </text>
 <scu uid="5" label="Nobody steered" comment="Really?">
  <contributor label="The captain...had slept">
   <part label="had slept" start="166" end="175"/>
   <part label="The captain" start="142" end="153"/>
  </contributor>
  <contributor label="&quot;no one&quot; was at the wheel">
   <part label="&quot;no one&quot; was at the wheel" start="484" end="509"/>
  </contributor>
 </scu>
 <scu uid="1" label="The ferry ran aground">
  <contributor label="The ferry Kestrel ran aground">
   <part label="The ferry Kestrel ran aground" start="52" end="81"/>
  </contributor>
  <contributor label="A ferry hit rocks">
   <part label="A ferry hit rocks" start="230" end="247"/>
  </contributor>
  <contributor label="the Kestrel struck a reef">
   <part label="the Kestrel struck a reef" start="425" end="450"/>
  </contributor>
 </scu>
 <scu uid="2" label="It was off Skellö">
  <contributor label="off Skellö">
   <part label="off Skellö" start="82" end="92"/>
  </contributor>
  <contributor label="near Skellö">
   <part label="near Skellö" start="248" end="259"/>
  </contributor>
  <contributor label="off Skellö">
   <part label="off Skellö" start="458" end="468"/>
  </contributor>
 </scu>
 <scu uid="3" label="84 people were saved">
  <contributor label="All 84 passengers were rescued">
   <part label="All 84 passengers were rescued" start="110" end="140"/>
  </contributor>
  <contributor label="84 people were taken off">
   <part label="84 people were taken off" start="282" end="306"/>
  </contributor>
  <contributor label="Eighty-four people were saved">
   <part label="Eighty-four people were saved" start="390" end="419"/>
  </contributor>
 </scu>
 <scu uid="4" label="There was fog">
  <contributor label="Fog was thick">
   <part label="Fog was thick" start="322" end="335"/>
  </contributor>
  <contributor label="in fog">
   <part label="in fog" start="451" end="457"/>
  </contributor>
 </scu>
 <scu uid="6" label="It was Sunday night">
  <contributor label="on Sunday night">
   <part label="on Sunday night" start="93" end="108"/>
  </contributor>
 </scu>
 <scu uid="7" label="Helicopters came">
  <contributor label="by helicopter">
   <part label="by helicopter" start="307" end="320"/>
  </contributor>
 </scu>
 <scu uid="8" label="The owner, AT&amp;T Lines, denies it">
  <contributor label="the owner, AT&amp;T Lines, denies it">
   <part label="the owner, AT&amp;T Lines, denies it" start="511" end="543"/>
  </contributor>
 </scu>
 <scu uid="9" label="Nobody was hurt">
  <contributor label="Nobody was hurt">
   <part label="Nobody was hurt" start="261" end="276"/>
  </contributor>
 </scu>
</pyramid>
<annotation>
 <text>
  <line>The Kestrel ran onto rocks on Sunday night.</line>
  <line>The ship was stuck fast.</line>
  <line>More than eighty people were brought ashore &amp; fed.</line>
  <line>Café owners said &quot;never again&quot;.</line>
 </text>
 <peerscu uid="1" label="(3) The ferry ran aground">
  <contributor label="The Kestrel ran onto rocks">
   <part label="The Kestrel ran onto rocks" start="0" end="26"/>
  </contributor>
  <contributor label="The ship was stuck fast">
   <part label="The ship was stuck fast" start="44" end="67"/>
  </contributor>
 </peerscu>
 <peerscu uid="2" label="(3) It was off Skellö">
 </peerscu>
 <peerscu uid="3" label="(3) 84 people were saved">
  <contributor label="More than eighty people were brought ashore">
   <part label="More than eighty people were brought ashore" start="69" end="112"/>
  </contributor>
 </peerscu>
 <peerscu uid="5" label="(2) Nobody steered">
 </peerscu>
 <peerscu uid="4" label="(2) There was fog">
 </peerscu>
 <peerscu uid="6" label="(1) It was Sunday night">
  <contributor label="on Sunday night">
   <part label="on Sunday night" start="27" end="42"/>
  </contributor>
 </peerscu>
 <peerscu uid="7" label="(1) Helicopters came">
 </peerscu>
 <peerscu uid="8" label="(1) The owner, AT&amp;T Lines, denies it">
 </peerscu>
 <peerscu uid="9" label="(1) Nobody was hurt">
 </peerscu>
 <peerscu uid="0" label="All non-matching SCUs go here">
  <contributor label="fed.Café owners said &quot;never again&quot;">
   <part label="fed.Café owners said &quot;never again&quot;" start="115" end="150"/>
  </contributor>
 </peerscu>
</annotation>
</peerAnnotation>
